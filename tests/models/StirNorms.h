// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Norms that matter: LeViT's begin as identities and zeros.

#include <torch/nn/module.h>

#include <cmath>
#include <string>

namespace headlight {

/// Batch norms as after training: none of their statistics what they begin with; and detectors'
/// heads, which begin with next to nothing.
inline void stirNorms(torch::nn::Module& module) {
  const at::NoGradGuard noGrad;
  for (const auto& item : module.named_buffers())
    if (item.key().find("running_") != std::string::npos) item.value().uniform_(0.5, 1.5);
  for (const auto& item : module.named_parameters())
    if (item.key().find("bn.") != std::string::npos || item.key() == "attention_biases")
      item.value().uniform_(-1, 1);
    else if (item.key().find("head.") == 0 && item.value().dim() == 4)
      item.value().normal_(0, std::sqrt(2.0 / static_cast<double>(item.value()[0].numel())));
}

}  // namespace headlight
