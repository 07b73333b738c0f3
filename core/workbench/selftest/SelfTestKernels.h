// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Headlight's kernels in float32 on a device against their plain forms in double on the CPU.

#include <c10/core/Device.h>

#include "core/workbench/selftest/SelfTestCheck.h"

namespace headlight {

/// A check with two rows, forward and backward, for each kernel. Their number is scaledGap(), the
/// largest over all cases; bounds are those of tests/attention (DepthwiseCudaTest.cpp,
/// LinearCudaTest.cpp, SampledCudaTest.cpp).
SelfTestChecks kernelChecks(const at::Device& device);

}  // namespace headlight
