// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Two processes that train a micro model together, beside one that trains it alone.

#include <c10/core/Device.h>

#include <chrono>
#include <stop_token>

#include "core/processes/Launch.h"
#include "core/workbench/selftest/SelfTestCheck.h"

namespace headlight {

/// How long one process waits for the other.
constexpr std::chrono::seconds kProcessTimeout{60};

/// "processes": the weights of two processes after three steps of a micro ViT, this one and
/// options.process, over Gloo on the CPU and over NCCL on two CUDA devices: relativeGap() of both
/// to those of one process on `device`. Skipped where there is one CUDA device, a build without
/// Gloo or NCCL, or no options.process. A second process that fails or hangs is a row that failed.
SelfTestCheck processCheck(const SelfTestOptions& options, const at::Device& device,
                           const std::stop_token& stop,
                           std::chrono::seconds timeout = kProcessTimeout);

/// The same steps as the second process. Throws Failure as Processes does.
void joinProcessCheck(const Launch& launch, const at::Device& device, const std::stop_token& stop);

}  // namespace headlight
