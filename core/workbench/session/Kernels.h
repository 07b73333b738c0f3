// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which kernels a model's attention runs by on this machine. No torch type here.

#include <string>
#include <vector>

#include "core/base/Result.h"
#include "core/config/Experiment.h"

namespace headlight {

/// By what each layer's attention was computed, in words ("fused dense (CPU)"), when a model of
/// this description, with random weights and on the experiment's device, was shown one black
/// image. Errors: those of building a model.
Result<std::vector<std::string>> listKernels(const Experiment& experiment);

/// Layers that say the same together: "layers 0-10: fused dense (CPU); layer 11: matrix products";
/// where all do, that alone.
std::string kernelSummary(const std::vector<std::string>& layers);

}  // namespace headlight
