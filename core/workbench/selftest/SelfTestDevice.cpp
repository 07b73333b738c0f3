// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/selftest/SelfTestDevice.h"

#include <ATen/detail/CUDAHooksInterface.h>

#include "core/base/Result.h"
#include "core/base/Text.h"
#include "core/base/TorchCompat.h"
#include "core/base/Translation.h"
#include "core/models/layers/Device.h"
#include "core/workbench/loading/TorchRuntime.h"

namespace headlight {
namespace {

/// Where there is no device: of which two kinds of reasons it is.
std::string missingDeviceText() {
  const std::string why =
      at::detail::getCUDAHooks().hasCUDART()
          ? tr("LibTorch has CUDA but sees no device; check that nvidia-smi lists one and that "
               "CUDA_VISIBLE_DEVICES does not hide it")
          : tr("this LibTorch is built without CUDA; build Headlight on one for CUDA (see "
               "Installing in the help), or check the CPU with --device cpu");
  return why + " (" + joined(libraryVersions()) + ")";
}

}  // namespace

at::Device selfTestDevice(const std::string& text) {
  if (text.starts_with("cuda") && !cudaIsAvailable())
    throw Failure({ErrorCode::InvalidConfig, "\"" + text + "\": " + missingDeviceText(), "device"});
  return deviceFromConfig(text);
}

}  // namespace headlight
