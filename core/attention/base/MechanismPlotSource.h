// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The images that a mechanism alone has, beside the map that all have. A mechanism that has any
// is one of these besides an Attention; whoever shows them asks by dynamic_cast.

#include <ATen/core/Tensor.h>

#include <string>
#include <utility>
#include <vector>

#include "core/attention/base/MechanismPlotInfo.h"

namespace headlight {

/// What an image of one layer is asked with.
struct MechanismPlotQuery {
  at::Tensor tokens = {};  ///< [1, T, D], what enters the attention; undefined unless ofImage
  int query = -1;          ///< of the layer's T tokens; −1 unless ofToken
};

struct MechanismPlotAnswer {
  /// One without a name: [H, rows, cols], or a Heat's [H, N] of the layer's patches. Of Curves the
  /// lines by name, [H, places]. 1 for H where all heads share it. NaN: nothing is there.
  std::vector<std::pair<std::string, at::Tensor>> parts = {};
  int place = -1;         ///< of Curves: the query's own
  std::string note = {};  ///< what must be said of it
};

class MechanismPlotSource {
 public:
  virtual ~MechanismPlotSource() = default;
  virtual std::vector<MechanismPlotInfo> mechanismPlots() const = 0;
  /// One of them, without a graph. Throws Failure where the query is not a patch.
  virtual MechanismPlotAnswer mechanismPlot(const std::string& name,
                                            const MechanismPlotQuery& question) = 0;
};

}  // namespace headlight
