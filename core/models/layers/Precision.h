// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// From the `training.precision` of an Experiment to what a device computes in.

#include <c10/core/Device.h>

#include <string>
#include <vector>

#include "core/attention/base/MixedPrecision.h"

namespace headlight {

/// As configs spell them: "float32", "bfloat16", "float16".
const std::vector<std::string>& precisionNames();
/// Throws Failure(InvalidConfig) for any other text; `where` names it.
Precision precisionFromConfig(const std::string& text,
                              const std::string& where = "training.precision");

/// Throws Failure(InvalidConfig) where the device has no such products, or none that are faster
/// than those in float32: float16 is CUDA's alone, bfloat16 CUDA's and that of processors with
/// AVX512-BF16 (all with AMX have it) under LibTorch 2.
void requirePrecision(Precision precision, const at::Device& device,
                      const std::string& where = "training.precision");

/// By its name, where the device has it. Throws as the two above do.
Precision precisionOn(const at::Device& device, const std::string& text, const std::string& where);

}  // namespace headlight
