// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A very small model of every mechanism, and what it says and learns on a device.

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <memory>
#include <string>
#include <vector>

#include "core/attention/base/MixedPrecision.h"
#include "core/config/ModelConfig.h"

namespace headlight {

class Processes;

/// Every registered mechanism by name, in the order in which they are shown.
std::vector<std::string> microMechanisms();

/// Three blocks with heads 8 wide on 4 × 4 patches and the mechanism's default options: a ViT, or
/// the backbone that the mechanism belongs to. Without a class token where the mechanism takes
/// none. Throws Failure for a mechanism that is on no published backbone.
ModelConfig microConfig(const std::string& mechanism);

/// The same weights and images each time.
struct MicroOutcome {
  at::Tensor logits;     ///< [4, classes], in evaluation
  at::Tensor gradients;  ///< of a training step's loss, of all parameters in one row
};
/// In float32; `plain`: by LibTorch's own operations.
MicroOutcome microOutcome(const ModelConfig& config, const at::Device& device, bool plain);

/// Logits of the same model and images, products in `precision`.
at::Tensor microLogits(const ModelConfig& config, const at::Device& device, Precision precision);

/// A few optimizer steps of the same model on one batch.
struct MicroTraining {
  double first = 0, last = 0;  ///< losses
  int taken = 0, skipped = 0;  ///< steps; float16 skips some until its loss scale fits
  bool finite = true;          ///< weights afterwards
};
MicroTraining microTraining(const ModelConfig& config, const at::Device& device,
                            const std::string& precision);

/// The model's parameters in one row, [weights] in float32, after three steps by SGD on one batch
/// of five images, of which each of `processes` has its rows; null: all are here. Not by AdamW,
/// which makes whole steps of gradients that are nothing but rounding.
at::Tensor microWeights(const ModelConfig& config, const at::Device& device,
                        const std::shared_ptr<Processes>& processes);

}  // namespace headlight
