// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The layer of PP-LCNet (Cui et al. 2021). Internal to core/models.

#include "core/models/detection/SqueezeExcitation.h"

namespace headlight {

struct LcShape {
  int in, out;
  int kernel = 3;
  int stride = 1;
  bool squeeze = false;  ///< squeeze and excitation between the two convolutions

  SeparableShape convolutions() const { return {in, out, kernel, stride}; }
};

/// A depthwise convolution, squeeze and excitation where there is one, a convolution of 1 × 1:
/// depthwise, se, pointwise.
class LcLayer : public MapLayer {
 public:
  explicit LcLayer(const LcShape& shape);
  static void count(CostCounter& counter, const std::string& name, const LcShape& shape,
                    std::int64_t positions);
  at::Tensor forward(const at::Tensor& maps) override;

 private:
  std::shared_ptr<ConvBlock> m_depthwise, m_pointwise;
  std::shared_ptr<SqueezeExcitation> m_squeeze;  ///< null without
};

}  // namespace headlight
