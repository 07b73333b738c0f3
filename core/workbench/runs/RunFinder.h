// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The runs below a folder, found again and again: a folder whose entries did not change is not read
// a second time, so that looking at ten thousand runs that stay costs next to nothing.

#include <cstddef>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <vector>

namespace headlight {

/// In one folder; further ones are only counted.
inline constexpr std::size_t kMostRuns = 50'000;

class RunFinder {
 public:
  /// `path`: of a run, of a sweep, or with runs up to two folders down. Links in it are not
  /// followed, and names that begin with a dot passed over.
  explicit RunFinder(std::filesystem::path path);
  ~RunFinder();
  RunFinder(RunFinder&&) noexcept;
  RunFinder& operator=(RunFinder&&) noexcept;

  const std::filesystem::path& path() const { return m_path; }
  /// Blocks while it looks. True where there are other runs than before. Where `stop` is asked for,
  /// nothing is new.
  bool poll(const std::stop_token& stop = {});
  /// By name, folder for folder: `path` itself, or those in it. None where it is missing.
  const std::vector<std::filesystem::path>& runs() const { return m_runs; }
  std::size_t leftOut() const { return m_leftOut; }

 private:
  struct Place;
  class Walk;

  std::filesystem::path m_path;
  std::unique_ptr<Place> m_root;
  std::vector<std::filesystem::path> m_runs;
  std::size_t m_leftOut = 0;
  int m_inferences = 0;
};

}  // namespace headlight
