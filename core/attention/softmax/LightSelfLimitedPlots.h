// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The plots that light self-limited attention alone has: attention before and after the outer bias
// (Hechen, Huang, Zhao 2022, Fig. 3b), and the lines of Fig. 4. They are of one query, by the
// places of its window.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/attention/base/MechanismPlotSource.h"
#include "core/attention/base/PrefixedWindows.h"

namespace headlight {

/// DS [1, M², M²], B_i and B_o [H, M², M²] of a layer; undefined where it has none.
struct LightSelfLimitedTerms {
  at::Tensor scale, innerBias, outerBias;
};

/// Attention within the windows of one image.
struct LightSelfLimitedMaps {
  at::Tensor softmax;    ///< [W, H, M², P + M²], before B_o
  at::Tensor outerBias;  ///< B_o [1 or W, H, M², M²]; undefined where there is none
};

/// `outerBias`: whether the layer has B_o; `learnedTerms`: whether it has any of DS, B_i and B_o.
std::vector<MechanismPlotInfo> lightSelfLimitedPlots(bool outerBias, bool learnedTerms);

class LightSelfLimitedPlots {
 public:
  /// `query`: of the layer's tokens. Throws Failure for a prefix token, which has no place in a
  /// window. `windows` must outlive this.
  LightSelfLimitedPlots(PrefixedWindows& windows, int query);

  /// Whether this plot is of the terms alone and needs no image.
  static bool isOfTerms(const std::string& name);
  /// The lines of DS, B_i and B_o at the query.
  MechanismPlotAnswer termLines(const LightSelfLimitedTerms& terms) const;
  /// Any other of the plots.
  MechanismPlotAnswer attention(const std::string& name, const LightSelfLimitedMaps& maps) const;

 private:
  /// The weights of the query, [H, M²] by places of its window.
  struct Rows {
    at::Tensor before, outer;  ///< the softmax; B_o, undefined where there is none
  };
  Rows rowsOf(const LightSelfLimitedMaps& maps) const;
  MechanismPlotAnswer attentionLines(const Rows& rows) const;

  PrefixedWindows& m_windows;
  std::int64_t m_window = 0, m_place = 0;
  at::Tensor m_seen;  ///< [M²] int64: the patch in each place of the window; −1: it sees none
};

}  // namespace headlight
