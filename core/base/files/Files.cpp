// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/files/Files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "core/base/Translation.h"
#include "core/base/files/FileDescriptor.h"
#include "core/base/files/OutputTarget.h"

namespace headlight {
namespace {

/// As systemFailure, of a path that was given: where it leads nowhere the input is missing.
Error systemError(const std::filesystem::path& path, const std::string& doing, int code = errno) {
  Error error = systemFailure(path, doing, code);
  if (code == ELOOP) error.message += "; the symbolic link is circular, give the file itself";
  if (code == ENOENT || code == ENOTDIR || code == ELOOP) error.code = ErrorCode::NotFound;
  return error;
}

void flushFolder(const std::filesystem::path& folder) {
  const FileDescriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!descriptor.valid() || ::fsync(descriptor.get()) != 0)
    throw Failure(systemError(folder, tr("flush the folder")));
}

std::filesystem::path folderOf(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

Result<void> writeStraightThrough(int descriptor, const std::string& name,
                                  const std::function<void(const AppendBytes&)>& write) {
  FileDescriptor output(descriptor);
  auto outcome = guarded(name, [&] {
    write([&](const void* data, std::size_t size) {
      valueOrThrow(writeWhole(output, data, size, name));
    });
  });
  output.release();  // not ours to close
  return outcome;
}

/// Makes the new file beside the old one; `asked` is the path that messages name.
void writeBeside(const std::filesystem::path& beside, const OutputTarget& target,
                 const std::filesystem::path& asked,
                 const std::function<void(const AppendBytes&)>& write) {
  // What replaces a private file is private from its first byte on.
  const mode_t mode = target.replaced ? 0600 : 0666;
  FileDescriptor file(::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode));
  if (!file.valid()) throw Failure(systemError(asked, "create"));
  write([&](const void* data, std::size_t size) {
    valueOrThrow(writeWhole(file, data, size, asked));
  });
  if (target.replaced && !keepOwnerAndMode(file.get(), *target.replaced))
    throw Failure(systemError(asked, tr("keep the permissions")));
  if (::fsync(file.get()) != 0) throw Failure(systemError(asked, tr("flush to the disk")));
  if (const int code = file.close()) throw Failure(systemError(asked, "close", code));
}

void replaceFile(const OutputTarget& target, const std::filesystem::path& asked,
                 const std::function<void(const AppendBytes&)>& write) {
  const std::filesystem::path beside =
      target.path.string() + ".part" + std::to_string(static_cast<long>(::getpid()));
  try {
    writeBeside(beside, target, asked, write);
    if (::rename(beside.c_str(), target.path.c_str()) != 0)
      throw Failure(systemError(asked, "replace"));
  } catch (...) {
    ::unlink(beside.c_str());
    throw;
  }
  flushFolder(folderOf(target.path));
}

/// Renames a file where nothing has its new name. Some file systems (exFAT among them) cannot
/// promise that in one step.
bool renameToNew(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
  std::error_code unknown;
  if (std::filesystem::exists(std::filesystem::symlink_status(to, unknown))) {
    errno = EEXIST;
    return false;
  }
  return ::rename(from.c_str(), to.c_str()) == 0;
}

}  // namespace

std::string folderNameFrom(std::string name, const std::string& prefix) {
  for (char& letter : name)
    if (letter == '/' || letter == '\\' || static_cast<unsigned char>(letter) < ' ') letter = '_';
  return name.empty() || name.front() == '.' ? prefix + name : name;
}

bool isThere(const std::filesystem::path& path) {
  std::error_code unknown;
  return std::filesystem::exists(path, unknown) || unknown;
}

Result<std::string> readFile(const std::filesystem::path& path, std::uintmax_t maxBytes) {
  return guarded(path.string(), [&]() -> Result<std::string> {
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file.valid()) return systemError(path, "open");
    return readOpenFile(file, path, maxBytes);
  });
}

Result<void> writeFileAtomically(const std::filesystem::path& path, std::string_view bytes) {
  return writeFileAtomically(
      path, [&](const AppendBytes& append) { append(bytes.data(), bytes.size()); });
}

Result<void> writeFileAtomically(const std::filesystem::path& path,
                                 const std::function<void(const AppendBytes&)>& write) {
  if (path == kStandardOutput) return writeStraightThrough(STDOUT_FILENO, "standard output", write);
  const auto target = outputTarget(path);
  if (!target) return target.error();
  return guarded(path.string(), [&] { replaceFile(*target, path, write); });
}

Result<void> writeNewFile(const std::filesystem::path& path, std::string_view bytes) {
  const std::filesystem::path beside = path.string() + ".part";
  auto outcome = guarded(path.string(), [&] {
    FileDescriptor file(::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (!file.valid()) throw Failure(systemError(path, "create"));
    valueOrThrow(writeWhole(file, bytes.data(), bytes.size(), path));
    if (const int code = file.close()) throw Failure(systemError(path, "close", code));
    if (!renameToNew(beside, path)) throw Failure(systemError(path, "create"));
  });
  if (!outcome) ::unlink(beside.c_str());
  return outcome;
}

}  // namespace headlight
