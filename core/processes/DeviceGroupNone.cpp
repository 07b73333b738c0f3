// SPDX-License-Identifier: GPL-3.0-or-later

// DeviceGroup.h: a build without NCCL.
#include "core/processes/DeviceGroup.h"

namespace headlight {

std::string deviceSums() {
  return "";
}

std::unique_ptr<DeviceGroup> makeDeviceGroup(const c10::intrusive_ptr<c10d::Store>&, const Launch&,
                                             std::chrono::seconds) {
  return nullptr;
}

}  // namespace headlight
