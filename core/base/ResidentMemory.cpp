// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/ResidentMemory.h"

#include <fstream>
#include <string>

#include "core/base/Heap.h"

namespace headlight {
namespace {

/// "VmHWM:   1234 kB" of /proc/self/status; 0 where there is none.
std::int64_t statusBytes(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(key + ":")) return std::stoll(line.substr(key.size() + 1)) * 1024;
  return 0;
}

}  // namespace

std::int64_t residentBytes() {
  return statusBytes("VmRSS");
}

std::int64_t peakResidentBytes() {
  return statusBytes("VmHWM");
}

bool restartPeakResident() {
  giveBackFreeMemory();
  std::ofstream reset("/proc/self/clear_refs");
  return static_cast<bool>(reset << "5" << std::flush);
}

}  // namespace headlight
