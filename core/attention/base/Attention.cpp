// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/base/Attention.h"

#include <algorithm>
#include <limits>

#include "core/base/Result.h"
#include "core/base/Translation.h"

namespace headlight {

void Attention::setGrid(const Grid&) {
  throw Failure({ErrorCode::InvalidConfig,
                 tr("this model's attention has weights of positions and takes images of one size "
                    "alone; use that size, or another mechanism, such as softmax"),
                 "model.mechanism"});
}

void Attention::setKept(const at::Tensor& kept) {
  if (!kept.defined()) return;
  throw Failure({ErrorCode::InvalidConfig,
                 tr("this model's attention has weights or windows of positions and needs every "
                    "patch, so none can be dropped; use softmax or linear_angular"),
                 "model.mechanism"});
}

void Attention::setMasks(const std::vector<HeadMask>& masks) {
  const bool masked = std::any_of(masks.begin(), masks.end(),
                                  [](const HeadMask& mask) { return mask.kind != MaskKind::None; });
  if (masked)
    throw Failure({ErrorCode::InvalidConfig,
                   tr("this model's attention has no logits to mask; use none"), "masks"});
}

std::vector<float> Attention::softAlphas() const {
  return std::vector<float>(m_headCount, std::numeric_limits<float>::quiet_NaN());
}

void Attention::setProgress(double) {}

}  // namespace headlight
