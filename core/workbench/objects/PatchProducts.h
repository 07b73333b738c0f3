// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Products of the features of every pair of patches. No torch type here.

#include <vector>

#include "core/workbench/objects/PatchRegion.h"

namespace headlight {

/// In double precision, and symmetric to the last bit.
class PatchProducts {
 public:
  /// f_p · f_q, or with `cosines` that of f / max(‖f‖, 1e-12).
  PatchProducts(const PatchFeatures& features, bool cosines);

  int patches() const { return m_patches; }
  double at(int p, int q) const {
    return m_values[static_cast<std::size_t>(p) * static_cast<std::size_t>(m_patches) +
                    static_cast<std::size_t>(q)];
  }

 private:
  int m_patches;
  std::vector<double> m_values;  ///< [N × N]
};

}  // namespace headlight
