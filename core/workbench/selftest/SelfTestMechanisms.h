// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Micro models of every mechanism: what a device says and learns beside the CPU.

#include <c10/core/Device.h>

#include "core/workbench/selftest/SelfTestCheck.h"

namespace headlight {

/// A check with two rows for each mechanism, the logits and a training step's gradients, in
/// float32: relativeGap() of the device's kernels to the plain forms on the CPU.
SelfTestChecks mechanismChecks(const at::Device& device);

}  // namespace headlight
