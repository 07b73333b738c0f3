// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/FreeMemory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "core/base/Result.h"
#include "core/base/Translation.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;
using Bytes = std::optional<std::int64_t>;

Bytes lesser(Bytes a, Bytes b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

/// The number behind `key` on a line of its own; with no key the file's first word. Nothing where
/// there is no such file or line, or it is a word ("max").
Bytes numberIn(const fs::path& file, const std::string& key = "") {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    std::istringstream words(line);
    std::string name;
    std::int64_t number = 0;
    if (!key.empty()) words >> name;
    if (name == key && words >> number) return number;
  }
  return std::nullopt;
}

Bytes systemMemory(const fs::path& root) {
  const Bytes kilobytes = numberIn(root / "proc/meminfo", "MemAvailable:");
  return kilobytes ? Bytes(*kilobytes * 1024) : std::nullopt;
}

/// Names of a group's files in the two versions of control groups.
struct GroupFiles {
  const char *limit, *usage, *inactive, *active;
};
constexpr GroupFiles kFirst{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file",
                            "total_active_file"};
constexpr GroupFiles kSecond{"memory.max", "memory.current", "inactive_file", "active_file"};

Bytes leftInGroup(const fs::path& folder, const GroupFiles& files) {
  const Bytes limit = numberIn(folder / files.limit), usage = numberIn(folder / files.usage);
  if (!limit || !usage) return std::nullopt;
  const std::int64_t cache = numberIn(folder / "memory.stat", files.inactive).value_or(0) +
                             numberIn(folder / "memory.stat", files.active).value_or(0);
  return std::max<std::int64_t>(0, *limit - std::max<std::int64_t>(0, *usage - cache));
}

/// For a group and those that it lies in. A container may see its own as the topmost, under a path
/// that does not exist here.
Bytes leftInGroups(const fs::path& top, const fs::path& group, const GroupFiles& files) {
  Bytes left = leftInGroup(top, files);
  fs::path folder = top;
  for (const auto& part : group.relative_path())
    left = lesser(left, leftInGroup(folder /= part, files));
  return left;
}

/// /proc/self/cgroup has lines of "number:controllers:path"; version 2 names no controllers.
Bytes groupMemory(const fs::path& root) {
  Bytes left;
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const fs::path path = line.substr(second + 1), top = root / "sys/fs/cgroup";
    if (controllers == ",,") left = lesser(left, leftInGroups(top, path, kSecond));
    if (controllers.find(",memory,") != std::string::npos)
      left = lesser(left, leftInGroups(top / "memory", path, kFirst));
  }
  return left;
}

Bytes addressSpace(const fs::path& root) {
  rlimit limit{};
  const Bytes pages = numberIn(root / "proc/self/statm");
  if (!pages || getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return std::nullopt;
  const auto all = static_cast<std::int64_t>(limit.rlim_cur);
  return std::max<std::int64_t>(0, all - *pages * sysconf(_SC_PAGESIZE));
}

}  // namespace

std::optional<std::int64_t> freeMemory(const fs::path& root) {
  return lesser(systemMemory(root), lesser(groupMemory(root), addressSpace(root)));
}

std::string bytesText(std::int64_t bytes) {
  char text[48];
  if (bytes >= 1'000'000'000)
    std::snprintf(text, sizeof text, "%.1f GB", static_cast<double>(bytes) / 1e9);
  else
    std::snprintf(text, sizeof text, "%.0f MB", static_cast<double>(bytes) / 1e6);
  return text;
}

void requireMemory(std::int64_t bytes, const std::string& what, std::optional<std::int64_t> free) {
  if (!free || bytes <= *free) return;
  throw Failure({ErrorCode::Io,
                 bytesText(bytes) + tr(" of memory are needed for ") + what + tr(", and only ") +
                     bytesText(*free) +
                     tr(" are free; choose a smaller one, or close other programs"),
                 ""});
}

}  // namespace headlight
