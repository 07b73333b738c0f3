// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Images per second and peak memory of a published model on a device.

#include <c10/core/Device.h>

#include <stop_token>

#include "core/workbench/selftest/SelfTestCheck.h"

namespace headlight {

/// DeiT-T at batch 1 and 64, or where it is to be quick a very small ViT at batch 1 and 4, by
/// benchModels(): for each batch a check with three rows without bounds, inference, training
/// (forward and backward pass) and the peak memory of the latter.
SelfTestChecks speedChecks(const SelfTestOptions& options, const at::Device& device,
                           const std::stop_token& stop);

}  // namespace headlight
