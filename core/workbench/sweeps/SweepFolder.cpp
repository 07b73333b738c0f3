// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/sweeps/SweepFolder.h"

#include "core/base/Translation.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

/// Nothing where it is missing.
std::optional<OpenFolder> inside(const OpenFolder& outer, const fs::path& name, bool make) {
  auto opened = outer.subfolder(name.string(), make);
  if (opened) return std::move(opened).value();
  if (opened.error().code == ErrorCode::NotFound) return std::nullopt;
  throw Failure(opened.error());
}

}  // namespace

SweepFolder::SweepFolder(const fs::path& output) : m_path(fs::absolute(output).lexically_normal()) {
  if (auto there = OpenFolder::open(m_path)) m_files = std::move(there).value();
}

void SweepFolder::make() {
  m_files = valueOrThrow(OpenFolder::make(m_path));
  for (const std::string& name : m_files->names())
    valueOrThrow(m_files->requireHarmless(name));
}

std::optional<OpenFolder> SweepFolder::of(const SweepRun& run, bool make) const {
  if (!m_files) return std::nullopt;
  const auto variant = inside(*m_files, run.folder.parent_path().filename(), make);
  return variant ? inside(*variant, run.folder.filename(), make) : std::nullopt;
}

Result<HeldFolder> SweepFolder::take(const SweepRun& run) const {
  OpenFolder folder = *of(run, /*make=*/true);
  auto lock = FolderLock::acquire(folder);
  if (!lock) return lock.error();
  return HeldFolder{std::move(folder), std::move(lock).value()};
}

FolderLock SweepFolder::holdAlone() const {
  auto lock = FolderLock::acquire(*m_files);
  if (lock) return std::move(lock).value();
  if (lock.error().code == ErrorCode::Busy && holdTogether())
    throw Failure(
        {ErrorCode::Busy,
         tr("workers of a sweep are training there; join them with --join, or wait until they end"),
         m_path.string()});
  throw Failure(lock.error());
}

std::optional<FolderLock> SweepFolder::holdTogether() const {
  auto lock = FolderLock::acquire(*m_files, FolderLock::Kind::Shared);
  if (lock) return std::move(lock).value();
  if (lock.error().code == ErrorCode::Busy) return std::nullopt;
  throw Failure(lock.error());
}

}  // namespace headlight
