// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/files/DataStamp.h"

#include <sys/stat.h>

#include <cstdio>
#include <cstdlib>

#include "core/base/Crc32.h"
#include "core/base/Random.h"

namespace headlight {
namespace {

constexpr const char* kStampFormat = "%016llx-%016llx";

}  // namespace

std::string fileStamp(const std::filesystem::path& root,
                      const std::vector<std::filesystem::path>& files) {
  std::uint64_t content = 0, times = 0;
  for (const auto& file : files) {
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0) continue;  // reported where it is read
    content = mixText(content, file.lexically_relative(root).string());
    content = mixBits(content ^ static_cast<std::uint64_t>(status.st_size));
    times = mixBits(times ^ static_cast<std::uint64_t>(status.st_mtim.tv_sec));
    times = mixBits(times ^ static_cast<std::uint64_t>(status.st_mtim.tv_nsec));
  }
  char text[48];
  std::snprintf(text, sizeof text, kStampFormat, static_cast<unsigned long long>(content),
                static_cast<unsigned long long>(times));
  return text;
}

std::string memoryStamp(const void* bytes, std::size_t size, const std::string& stamp) {
  const auto before = static_cast<std::uint32_t>(std::strtoul(stamp.c_str(), nullptr, 16));
  return crcText(crc32Of(bytes, size, before));
}

std::string stampNote(const std::string& then, const std::string& now, const std::string& what) {
  if (then.empty() || now.empty() || then == now) return "";
  const std::string data = "the " + what + " data ";
  const bool sameFiles = then.substr(0, then.find('-')) == now.substr(0, now.find('-'));
  if (sameFiles)
    return data +
           "was rewritten since the run began (same names and sizes, new times). If the content is "
           "the same, the run continues exactly; otherwise its final weights differ from those of "
           "an uninterrupted run";
  return data +
         "changed since the run began. The run continues, but not exactly as without the change; "
         "if that matters, restore the data and resume again";
}

}  // namespace headlight
