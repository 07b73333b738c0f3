#include "core/workbench/PeakMemory.h"

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

}  // namespace

std::int64_t peakBytesOf(const std::function<void()>& body) {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
  {
    std::ofstream reset("/proc/self/clear_refs");
    reset << "5";  // the high-water mark begins anew
  }
  const std::int64_t before = statusBytes("VmRSS");
  body();
  return std::max<std::int64_t>(0, statusBytes("VmHWM") - before);
}

}  // namespace headlight
