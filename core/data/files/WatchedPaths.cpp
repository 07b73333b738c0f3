// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/files/WatchedPaths.h"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>

namespace headlight {
namespace {

constexpr std::int64_t kSettledAfter = 2'000'000'000;  // ns; FAT's ticks are the longest, 2 s

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

std::int64_t nanosecondsNow() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

std::optional<PathState> pathState(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return PathState{std::uint64_t(status.st_ino), std::uint64_t(status.st_size),
                   nanoseconds(status.st_mtim), nanoseconds(status.st_ctim)};
}

void WatchedPaths::add(const std::string& name) {
  const auto state = pathState(m_root / name);
  m_settled = m_settled && state &&
              std::max(state->modified, state->changed) < nanosecondsNow() - kSettledAfter;
  if (state) m_paths.push_back({name, *state});
}

}  // namespace headlight
