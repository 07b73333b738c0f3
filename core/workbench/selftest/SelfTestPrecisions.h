// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Micro models of every mechanism in 16 bits.

#include <c10/core/Device.h>

#include "core/workbench/selftest/SelfTestCheck.h"

namespace headlight {

/// For bfloat16 and float16 a check with two rows for each mechanism: the logits beside those of
/// float32 on the same device, and six training steps on one batch, in float16 with loss scaling,
/// which must lower its loss. The bounds are those of tests/training/PrecisionTest.cpp. A precision
/// that the device lacks is one row, skipped. bfloat16 runs on every CPU: without such products it
/// is slow, not wrong.
SelfTestChecks precisionChecks(const at::Device& device);

}  // namespace headlight
