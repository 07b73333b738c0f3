// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/backbones/FinalNorm.h"

#include <torch/nn/modules/normalization.h>

#include "core/attention/base/MixedPrecision.h"
#include "core/models/backbones/Model.h"
#include "core/models/layers/Parts.h"

namespace headlight {

NormedTokens finalNormed(const Model& model, const at::Tensor& tokens) {
  const auto children = model.named_children();
  const auto* child = children.find("norm");
  if (const auto* own = child ? dynamic_cast<const TokenNorm*>(child->get()) : nullptr)
    return {inFloat32(own->forward(tokens)), true};
  auto* norm = child ? dynamic_cast<torch::nn::LayerNormImpl*>(child->get()) : nullptr;
  if (!norm || norm->options.normalized_shape().back() != tokens.size(-1))
    return {inFloat32(tokens), false};
  return {inFloat32(norm->forward(tokens)), true};
}

}  // namespace headlight
