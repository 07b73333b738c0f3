// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The device that a self-test is asked for.

#include <c10/core/Device.h>

#include <string>

namespace headlight {

/// As deviceFromConfig(). Throws Failure(InvalidConfig), which says what LibTorch sees: that it is
/// built without CUDA, or that it has CUDA and no device.
at::Device selfTestDevice(const std::string& text);

}  // namespace headlight
