// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/files/FolderLock.h"

#include <sys/file.h>
#include <unistd.h>

#include "core/base/Translation.h"
#include "core/base/files/LockState.h"

namespace headlight {
namespace {

constexpr std::size_t kMaxNote = 256;

}  // namespace

Result<FolderLock> FolderLock::acquire(const std::filesystem::path& folder) {
  const auto opened = OpenFolder::open(folder);
  if (!opened) return opened.error();
  return acquire(*opened);
}

Result<FolderLock> FolderLock::acquire(const OpenFolder& folder, Kind kind) {
  auto file = folder.openLock(kLockName);
  if (!file) return file.error();
  const int operation = kind == Kind::Shared ? LOCK_SH : LOCK_EX;
  if (::flock(file->get(), operation | LOCK_NB) == 0)
    return FolderLock(std::move(file).value(), folder.pathOf(kLockName));
  if (const int code = errno; code != EWOULDBLOCK)
    return systemFailure(folder.pathOf(kLockName), "lock", code);
  return Error{ErrorCode::Busy,
               tr("another Headlight is writing this run folder; stop it or choose another folder"),
               folder.path().string()};
}

std::string FolderLock::note() const {
  std::string note(kMaxNote, '\0');
  const ssize_t count = ::pread(m_file->get(), note.data(), note.size(), 0);
  note.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return note.substr(0, note.find('\n'));
}

Result<void> FolderLock::setNote(const std::string& note) const {
  const std::string line = note.substr(0, kMaxNote - 1) + "\n";
  if (::pwrite(m_file->get(), line.data(), line.size(), 0) != static_cast<ssize_t>(line.size()))
    return systemFailure(m_path, "write");
  return {};
}

}  // namespace headlight
