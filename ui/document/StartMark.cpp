// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/StartMark.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QFile>

namespace headlight {

bool StartMark::begin() {
  if (m_path.isEmpty()) return true;
  FileDescriptor file(::open(QFile::encodeName(m_path).constData(),
                             O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR));
  // The system lets go of the lock when a program dies, however it dies.
  if (!file.valid() || ::flock(file.get(), LOCK_EX | LOCK_NB) != 0) return true;
  struct stat state {};
  const bool wasLeft = ::fstat(file.get(), &state) == 0 && state.st_size > 0;
  constexpr char kText[] = "Headlight is starting.\n";
  if (::pwrite(file.get(), kText, sizeof kText - 1, 0) < 0) return true;
  m_file = std::move(file);
  return !wasLeft;
}

void StartMark::end() {
  if (!m_file.valid()) return;
  // Emptied first: another start may have opened it just now, and must not take it for left.
  if (::ftruncate(m_file.get(), 0) == 0) QFile::remove(m_path);
  m_file = FileDescriptor();
}

}  // namespace headlight
