// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/files/OpenFolder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>

#include "core/base/Translation.h"
#include "core/base/files/OutputTarget.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
/// O_NONBLOCK: a pipe that takes the file's place in this very moment must not hang.
constexpr int kFileFlags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;

const char* kindName(mode_t mode) {
  if (S_ISLNK(mode)) return "a symbolic link";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  if (S_ISDIR(mode)) return "a folder";
  return "a device";
}

/// Several machines may write in one folder, with the same process numbers on each.
std::string machineName() {
  char name[65] = "";
  if (::gethostname(name, sizeof name - 1) != 0) return "";
  std::string text = name;
  std::replace(text.begin(), text.end(), '/', '_');
  return text;
}

Error notAFile(const fs::path& path, mode_t mode) {
  return {ErrorCode::UnsupportedFile,
          tr("is ") + std::string(kindName(mode)) +
              tr(" where Headlight stores a file; nothing was read or written. Remove it, or put "
                 "the file itself there"),
          path.string()};
}

}  // namespace

Result<OpenFolder> OpenFolder::open(const fs::path& path) {
  FileDescriptor folder(::open(path.c_str(), kFolderFlags));
  if (folder.valid()) return OpenFolder(path, std::move(folder));
  const int code = errno;
  Error error = systemFailure(path, "open the folder", code);
  if (code == ENOENT || code == ENOTDIR)
    error = {ErrorCode::NotFound, tr("is not a folder"), path.string()};
  return error;
}

Result<OpenFolder> OpenFolder::make(const fs::path& path) {
  std::error_code failure;
  fs::create_directories(path, failure);
  if (failure) return systemFailure(path, "make the folder", failure.value());
  return open(path);
}

Result<OpenFolder> OpenFolder::subfolder(const std::string& name, bool make) const {
  if (make && ::mkdirat(descriptor(), name.c_str(), 0777) != 0 && errno != EEXIST)
    return failure(name, tr("make the folder"), errno);
  FileDescriptor folder(::openat(descriptor(), name.c_str(), kFolderFlags | O_NOFOLLOW));
  if (folder.valid()) return OpenFolder(pathOf(name), std::move(folder));
  const int code = errno;
  if (code == ENOENT)
    return Error{ErrorCode::NotFound, tr("is not a folder"), pathOf(name).string()};
  if (code == ELOOP || code == ENOTDIR)
    return Error{ErrorCode::UnsupportedFile,
                 tr("is a link or a file where Headlight needs a folder; remove it, or put the "
                    "folder there"),
                 pathOf(name).string()};
  return failure(name, tr("open the folder"), code);
}

fs::path OpenFolder::path() const {
  struct stat here {
  }, named{};
  const bool known = ::fstat(descriptor(), &here) == 0;
  const bool same = known && ::stat(m_path.c_str(), &named) == 0 && here.st_ino == named.st_ino &&
                    here.st_dev == named.st_dev;
  if (same || !known || here.st_nlink == 0) return m_path;
  std::error_code failure;
  const fs::path moved = fs::read_symlink("/proc/self/fd/" + std::to_string(descriptor()), failure);
  return failure || moved.empty() ? m_path : moved;
}

bool OpenFolder::isGone() const {
  struct stat status {};
  return ::fstat(descriptor(), &status) == 0 && status.st_nlink == 0;
}

bool OpenFolder::has(const std::string& name) const {
  struct stat status {};
  return ::fstatat(descriptor(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
}

std::vector<std::string> OpenFolder::names() const {
  std::vector<std::string> names;
  FileDescriptor again(::openat(descriptor(), ".", kFolderFlags));
  DIR* listing = again.valid() ? ::fdopendir(again.get()) : nullptr;
  if (!listing) return names;
  again.release();  // closedir closes it
  while (const dirent* entry = ::readdir(listing))
    names.emplace_back(entry->d_name);
  ::closedir(listing);
  return names;
}

Result<void> OpenFolder::requireHarmless(const std::string& name) const {
  struct stat status {};
  if (::fstatat(descriptor(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return {};
  if (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)) return {};
  return notAFile(pathOf(name), status.st_mode);
}

Result<void> OpenFolder::requireFile(const std::string& name, const FileDescriptor& file) const {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return failure(name, tr("look at"), errno);
  if (!S_ISREG(status.st_mode)) return notAFile(pathOf(name), status.st_mode);
  return {};
}

Error OpenFolder::failure(const std::string& name, const std::string& doing, int code) const {
  if (isGone())
    return {ErrorCode::Io, "could not " + doing + " " + name + ": the folder was deleted",
            path().string()};
  return systemFailure(pathOf(name), doing, code);
}

Result<FileDescriptor> OpenFolder::openToRead(const std::string& name) const {
  if (auto harmless = requireHarmless(name); !harmless) return harmless.error();
  FileDescriptor file(::openat(descriptor(), name.c_str(), O_RDONLY | kFileFlags));
  if (!file.valid()) {
    const int code = errno;
    if (code == ENOENT)
      return Error{ErrorCode::NotFound, tr("does not exist"), pathOf(name).string()};
    return failure(name, "open", code);
  }
  if (auto checked = requireFile(name, file); !checked) return checked.error();
  return file;
}

Result<FileDescriptor> OpenFolder::openToChange(const std::string& name, int flags) const {
  if (auto harmless = requireHarmless(name); !harmless) return harmless.error();
  FileDescriptor file(::openat(descriptor(), name.c_str(), flags | O_CREAT | kFileFlags, 0666));
  if (!file.valid()) return failure(name, "open", errno);
  if (auto checked = requireFile(name, file); !checked) return checked.error();
  struct stat status {};
  if (::fstat(file.get(), &status) == 0 && status.st_nlink > 1)
    return Error{ErrorCode::UnsupportedFile,
                 tr("is a hard link, so its other name would change as well; replace it by a copy, "
                    "or remove it"),
                 pathOf(name).string()};
  return file;
}

Result<FileDescriptor> OpenFolder::openToAppend(const std::string& name) const {
  return openToChange(name, O_WRONLY | O_APPEND);
}

Result<FileDescriptor> OpenFolder::openLock(const std::string& name) const {
  return openToChange(name, O_RDWR);
}

Result<std::string> OpenFolder::read(const std::string& name, std::uintmax_t maxBytes) const {
  auto file = openToRead(name);
  if (!file) return file.error();
  return readOpenFile(*file, pathOf(name), maxBytes);
}

Result<void> OpenFolder::write(const std::string& name, std::string_view bytes) const {
  return write(name, [&](const AppendBytes& append) { append(bytes.data(), bytes.size()); });
}

std::string OpenFolder::nameBeside(const std::string& name) const {
  return name + ".part" + std::to_string(static_cast<long>(::getpid())) + "-" + machineName();
}

Result<void> OpenFolder::write(const std::string& name,
                               const std::function<void(const AppendBytes&)>& write) const {
  const std::string beside = nameBeside(name);
  const auto require = [&](bool done, const char* doing) {
    if (!done) throw Failure(failure(name, doing, errno));
  };
  auto outcome = guarded(m_path.string(), [&] {
    valueOrThrow(requireHarmless(name));
    struct stat old {};
    const bool replaces = ::fstatat(descriptor(), name.c_str(), &old, AT_SYMLINK_NOFOLLOW) == 0;
    if (replaces && !S_ISREG(old.st_mode)) throw Failure(notAFile(pathOf(name), old.st_mode));
    ::unlinkat(descriptor(), beside.c_str(), 0);  // of a process that had this number before
    // What replaces a private file is private from its first byte on.
    const mode_t mode = replaces ? 0600 : 0666;
    FileDescriptor file(
        ::openat(descriptor(), beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | kFileFlags, mode));
    require(file.valid(), "create");
    write([&](const void* data, std::size_t size) {
      valueOrThrow(writeWhole(file, data, size, pathOf(name)));
    });
    if (replaces) require(keepOwnerAndMode(file.get(), old), "keep the permissions");
    require(::fsync(file.get()) == 0, "flush to the disk");
    if (const int code = file.close()) throw Failure(failure(name, "close", code));
    require(::renameat(descriptor(), beside.c_str(), descriptor(), name.c_str()) == 0, "replace");
    require(::fsync(descriptor()) == 0, "flush the folder");
  });
  if (!outcome) ::unlinkat(descriptor(), beside.c_str(), 0);
  return outcome;
}

void OpenFolder::remove(const std::string& name) const {
  ::unlinkat(descriptor(), name.c_str(), 0);
}

}  // namespace headlight
