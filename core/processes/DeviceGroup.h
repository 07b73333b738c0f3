// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Sums of tensors that lie on GPUs, from GPU to GPU: c10d over NCCL, where LibTorch has it and its
// headers are there. Elsewhere they go through the memory of the machine, over Gloo.

#include <ATen/core/Tensor.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <torch/csrc/distributed/c10d/Store.hpp>
#include <torch/csrc/distributed/c10d/Types.hpp>
#include <torch/csrc/distributed/c10d/Work.hpp>

#include "core/processes/Launch.h"

namespace headlight {

class DeviceGroup {
 public:
  using Work = c10::intrusive_ptr<c10d::Work>;

  virtual ~DeviceGroup() = default;
  /// One tensor, in place. Its wait() returns when the sum is there, or throws after the time-out.
  virtual Work reduce(std::vector<at::Tensor>& tensors, const c10d::AllreduceOptions& options) = 0;
  virtual Work broadcast(std::vector<at::Tensor>& tensors) = 0;
};

/// "NCCL 2.21.5", or empty where sums of GPUs go over Gloo: a build without it, or one whose
/// headers are of another NCCL than the library that was found. The same in all processes of a run.
std::string deviceSums();

/// For as many processes as there are GPUs that they compute on. Where deviceSums() says something.
std::unique_ptr<DeviceGroup> makeDeviceGroup(const c10::intrusive_ptr<c10d::Store>& texts,
                                             const Launch& launch, std::chrono::seconds timeout);

}  // namespace headlight
