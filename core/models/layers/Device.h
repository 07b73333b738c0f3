// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// From the `device` of an Experiment to the device that LibTorch uses.

#include <c10/core/Device.h>

#include <string>

namespace headlight {

/// "auto" (CUDA if there is one), "cpu", "cuda" or "cuda:N". Throws Failure(InvalidConfig) for any
/// other text, and where CUDA is asked for and not there.
at::Device deviceFromConfig(const std::string& text);

}  // namespace headlight
