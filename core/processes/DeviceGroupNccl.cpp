// SPDX-License-Identifier: GPL-3.0-or-later

// DeviceGroup.h: on c10d and NCCL.
#include <stdlib.h>

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

#include "core/processes/DeviceGroup.h"

namespace headlight {
namespace {

using Nccl = c10d::ProcessGroupNCCL;

/// From the headers: the memory layout of c10d's options depends on it.
std::string headersVersion() {
  return std::to_string(NCCL_MAJOR) + "." + std::to_string(NCCL_MINOR) + "." +
         std::to_string(NCCL_PATCH);
}

/// Work that waits until it is done, and fails after the time-out as Gloo's does; without this it
/// would make a stream wait alone, and a watchdog would end the program. Two names: before
/// LibTorch 2.2, and since.
void askForWaiting() {
  for (const char* name : {"NCCL_BLOCKING_WAIT", "TORCH_NCCL_BLOCKING_WAIT"})
    ::setenv(name, "1", /*overwrite=*/1);
}

class NcclGroup : public DeviceGroup {
 public:
  explicit NcclGroup(c10::intrusive_ptr<Nccl> group) : m_group(std::move(group)) {}
  Work reduce(std::vector<at::Tensor>& tensors, const c10d::AllreduceOptions& options) override {
    return m_group->allreduce(tensors, options);
  }
  Work broadcast(std::vector<at::Tensor>& tensors) override { return m_group->broadcast(tensors); }

 private:
  c10::intrusive_ptr<Nccl> m_group;
};

}  // namespace

std::string deviceSums() {
  const std::string version = c10d::getNcclVersion();
  return version == headersVersion() ? "NCCL " + version : "";
}

std::unique_ptr<DeviceGroup> makeDeviceGroup(const c10::intrusive_ptr<c10d::Store>& texts,
                                             const Launch& launch, std::chrono::seconds timeout) {
  askForWaiting();
  const auto options = Nccl::Options::create();
  options->timeout = timeout;
  const auto own = c10::make_intrusive<c10d::PrefixStore>("nccl", texts);
  return std::make_unique<NcclGroup>(
      c10::make_intrusive<Nccl>(own, launch.rank, launch.count, options));
}

}  // namespace headlight
