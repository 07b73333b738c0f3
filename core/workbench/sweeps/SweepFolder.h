// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The folder of a sweep and those of its runs, none of them reached through a link, and who works
// there. Internal.

#include <filesystem>
#include <optional>

#include "core/base/files/FolderLock.h"
#include "core/workbench/sweeps/Sweep.h"

namespace headlight {

/// All that fail throw Failure.
class SweepFolder {
 public:
  /// Nothing is made yet.
  explicit SweepFolder(const std::filesystem::path& output);
  /// Makes it where it is missing.
  void make();

  const std::filesystem::path& path() const { return m_path; }
  bool isThere() const { return m_files.has_value(); }
  /// Once it is made, or where it was there.
  const OpenFolder& files() const { return *m_files; }

  /// A run's own folder; nothing where there is none yet. It is opened anew: over NFS that is what
  /// shows what other machines wrote into it.
  std::optional<OpenFolder> of(const SweepRun& run) const { return of(run, /*make=*/false); }
  /// The same, made where it is missing, and held; Busy where another process holds it.
  Result<HeldFolder> take(const SweepRun& run) const;

  /// Holds it for a sweep of one process. Busy where another sweep or joined workers are there.
  FolderLock holdAlone() const;
  /// Holds it beside other workers; nothing where a sweep holds it alone.
  std::optional<FolderLock> holdTogether() const;

 private:
  std::optional<OpenFolder> of(const SweepRun& run, bool make) const;

  std::filesystem::path m_path;
  std::optional<OpenFolder> m_files;
};

}  // namespace headlight
