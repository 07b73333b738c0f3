// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the queries of a segmenter say of an image (Mask2Former, Cheng et al. 2022).

#include <ATen/core/Tensor.h>

#include <vector>

namespace headlight {

/// One prediction before the first layer of its decoder and one after each: the last is the answer,
/// all are trained alike. Float32.
struct SegmentScores {
  std::vector<at::Tensor> classes;  ///< each [B, Q, K + 1], logits; the last class is "none"
  std::vector<at::Tensor> masks;    ///< each [B, Q, H / 4, W / 4], logits

  bool defined() const { return !classes.empty(); }
};

}  // namespace headlight
