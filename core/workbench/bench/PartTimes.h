// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Seconds by pass and part of a model. No torch type here.

#include <array>
#include <cstddef>

#include "core/base/ModelPart.h"

namespace headlight {

enum class ModelPass {
  Inference,  ///< forward without gradients
  Forward,    ///< of a training step, with the loss
  Backward,
  Update  ///< the optimizer's
};

inline constexpr std::array kModelPasses{ModelPass::Inference, ModelPass::Forward,
                                         ModelPass::Backward, ModelPass::Update};

class PartTimes {
 public:
  double& at(ModelPass pass, ModelPart part) { return m_seconds[rowOf(pass)][columnOf(part)]; }
  double at(ModelPass pass, ModelPart part) const { return m_seconds[rowOf(pass)][columnOf(part)]; }
  double sum(ModelPass pass) const {
    double seconds = 0;
    for (const ModelPart part : kModelParts)
      seconds += at(pass, part);
    return seconds;
  }

 private:
  static std::size_t rowOf(ModelPass pass) { return static_cast<std::size_t>(pass); }
  static std::size_t columnOf(ModelPart part) { return static_cast<std::size_t>(part); }

  std::array<std::array<double, kModelParts.size()>, kModelPasses.size()> m_seconds{};
};

}  // namespace headlight
