#include "core/workbench/measure/PeakMemory.h"

#include <algorithm>
#include <fstream>
#include <string>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace headlight {
namespace {

/// "VmHWM:   1234 kB" of /proc/self/status; 0 where there is none.
std::int64_t statusBytes(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(key + ":")) return std::stoll(line.substr(key.size() + 1)) * 1024;
  return 0;
}

/// False where there is no such file, or it is not ours to write (a container may say so).
bool restartHighWaterMark() {
  std::ofstream reset("/proc/self/clear_refs");
  return static_cast<bool>(reset << "5" << std::flush);
}

}  // namespace

std::int64_t peakBytesOf(const std::function<void()>& body) {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
  const bool anew = restartHighWaterMark();
  const std::int64_t before = statusBytes("VmRSS");
  body();
  return anew ? std::max<std::int64_t>(0, statusBytes("VmHWM") - before) : 0;
}

}  // namespace headlight
