// SPDX-License-Identifier: GPL-3.0-or-later

// A library to preload: it counts every call of a program that changes files below one folder, and
// fails the N-th of them, or ends the program there as kill -9 would. Told by the environment:
//
//   HEADLIGHT_FAULT_FOLDER   the folder, absolute and without links
//   HEADLIGHT_FAULT_JOURNAL  a file that gets a line for each call: its name, a tab, its path
//   HEADLIGHT_FAULT_AT       N, from 1; nothing fails without it
//   HEADLIGHT_FAULT_ERRNO    what the N-th call then says
//   HEADLIGHT_FAULT_FOREVER  1: so do all after it
//   HEADLIGHT_FAULT_KILL     1: it does not return at all
//
// A disk that is full takes what still fits: where all writes are to fail from now on, or the
// program is to be killed, the first of them writes half of its bytes. What the C library does
// within itself (a buffered FILE that is written) does not pass here; Headlight writes none.

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

std::string setting(const char* name) {
  const char* value = ::getenv(name);
  return value ? value : "";
}

struct Settings {
  std::string folder = setting("HEADLIGHT_FAULT_FOLDER");
  std::string journal = setting("HEADLIGHT_FAULT_JOURNAL");
  long at = std::atol(setting("HEADLIGHT_FAULT_AT").c_str());
  int error = std::atoi(setting("HEADLIGHT_FAULT_ERRNO").c_str());
  bool forever = setting("HEADLIGHT_FAULT_FOREVER") == "1";
  bool kill = setting("HEADLIGHT_FAULT_KILL") == "1";
};

const Settings& settings() {
  static const Settings known;
  return known;
}

/// The function that this library stands before.
template <typename Function>
Function* next(Function*, const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}
#define NEXT(name) (next(&::name, #name))

std::string linkTarget(const std::string& link) {
  char target[PATH_MAX];
  const ssize_t size = ::readlink(link.c_str(), target, sizeof target);
  return size > 0 ? std::string(target, static_cast<std::size_t>(size)) : "";
}

std::string pathOf(int descriptor) {
  return linkTarget("/proc/self/fd/" + std::to_string(descriptor));
}

std::string pathAt(int folder, const char* name) {
  if (name[0] == '/') return name;
  return (folder == AT_FDCWD ? linkTarget("/proc/self/cwd") : pathOf(folder)) + "/" + name;
}

bool isWatched(const std::string& path) {
  const std::string& folder = settings().folder;
  return !folder.empty() && path.compare(0, folder.size(), folder) == 0 &&
         (path.size() == folder.size() || path[folder.size()] == '/');
}

/// Past our own write and open, which would count.
void note(const char* call, const std::string& path) {
  static const int journal =
      settings().journal.empty()
          ? -1
          : static_cast<int>(::syscall(SYS_openat, AT_FDCWD, settings().journal.c_str(),
                                       O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666));
  if (journal < 0) return;
  const std::string line = std::string(call) + "\t" + path + "\n";
  if (::syscall(SYS_write, journal, line.data(), line.size()) < 0) ::_exit(99);
}

enum class Verdict { Pass, Half, Fail };

Verdict judge(const char* call, const std::string& path, bool divisible = false) {
  static std::atomic<long> calls{0};
  if (!isWatched(path)) return Verdict::Pass;
  note(call, path);
  const long number = ++calls;
  const Settings& reported = settings();
  if (reported.at == 0 || number < reported.at || (number > reported.at && !reported.forever))
    return Verdict::Pass;
  if (divisible && number == reported.at && (reported.forever || reported.kill))
    return Verdict::Half;
  if (reported.kill) ::kill(::getpid(), SIGKILL);
  errno = reported.error;
  return Verdict::Fail;
}

bool fails(const char* call, const std::string& path) {
  return judge(call, path) != Verdict::Pass;
}

bool opensForWriting(int flags) {
  return (flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT) != 0;
}

/// After half of a write.
ssize_t afterHalf(ssize_t written) {
  if (settings().kill) ::kill(::getpid(), SIGKILL);
  return written;
}

mode_t modeOf(int flags, va_list rest) {
  const bool creates = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  return creates ? static_cast<mode_t>(va_arg(rest, int)) : 0;
}

}  // namespace

extern "C" {

#define OPEN(name)                                                                  \
  int name(const char* path, int flags, ...) {                                      \
    va_list rest;                                                                   \
    va_start(rest, flags);                                                          \
    const mode_t mode = modeOf(flags, rest);                                        \
    va_end(rest);                                                                   \
    if (opensForWriting(flags) && fails("open", pathAt(AT_FDCWD, path))) return -1; \
    return NEXT(name)(path, flags, mode);                                           \
  }
#define OPEN_AT(name)                                                             \
  int name(int folder, const char* path, int flags, ...) {                        \
    va_list rest;                                                                 \
    va_start(rest, flags);                                                        \
    const mode_t mode = modeOf(flags, rest);                                      \
    va_end(rest);                                                                 \
    if (opensForWriting(flags) && fails("open", pathAt(folder, path))) return -1; \
    return NEXT(name)(folder, path, flags, mode);                                 \
  }
OPEN(open)
OPEN(open64)
OPEN_AT(openat)
OPEN_AT(openat64)

// What _FORTIFY_SOURCE makes of those without a mode. No header declares them to be defined.
#define OPEN_TWO(name)                                                              \
  int name(const char* path, int flags) {                                           \
    if (opensForWriting(flags) && fails("open", pathAt(AT_FDCWD, path))) return -1; \
    return NEXT(name)(path, flags);                                                 \
  }
#define OPEN_AT_TWO(name)                                                         \
  int name(int folder, const char* path, int flags) {                             \
    if (opensForWriting(flags) && fails("open", pathAt(folder, path))) return -1; \
    return NEXT(name)(folder, path, flags);                                       \
  }
int __open_2(const char* path, int flags);
int __open64_2(const char* path, int flags);
int __openat_2(int folder, const char* path, int flags);
int __openat64_2(int folder, const char* path, int flags);
OPEN_TWO(__open_2)
OPEN_TWO(__open64_2)
OPEN_AT_TWO(__openat_2)
OPEN_AT_TWO(__openat64_2)

#define CREATE(name)                                                            \
  int name(const char* path, mode_t mode) {                                     \
    return fails("open", pathAt(AT_FDCWD, path)) ? -1 : NEXT(name)(path, mode); \
  }
CREATE(creat)
CREATE(creat64)

// Where a std::ofstream begins and ends; its writes are ::write and ::writev.
#define OPEN_FILE(name)                                                  \
  FILE* name(const char* path, const char* mode) {                       \
    const bool writes = std::strpbrk(mode, "wa+") != nullptr;            \
    if (writes && fails("open", pathAt(AT_FDCWD, path))) return nullptr; \
    return NEXT(name)(path, mode);                                       \
  }
OPEN_FILE(fopen)
OPEN_FILE(fopen64)

/// Closed all the same, as Linux does it.
int close(int descriptor) {
  const int flags = ::fcntl(descriptor, F_GETFL);
  const bool failed = flags >= 0 && opensForWriting(flags) && fails("close", pathOf(descriptor));
  const int error = errno, closed = NEXT(close)(descriptor);
  if (!failed) return closed;
  errno = error;
  return -1;
}

int fclose(FILE* file) {
  const int descriptor = ::fileno(file), flags = descriptor < 0 ? -1 : ::fcntl(descriptor, F_GETFL);
  const bool failed = flags >= 0 && opensForWriting(flags) && fails("close", pathOf(descriptor));
  const int error = errno, closed = NEXT(fclose)(file);
  if (!failed) return closed;
  errno = error;
  return EOF;
}

ssize_t write(int descriptor, const void* data, size_t size) {
  const Verdict verdict = judge("write", pathOf(descriptor), size > 1);
  if (verdict == Verdict::Fail) return -1;
  if (verdict == Verdict::Half) return afterHalf(NEXT(write)(descriptor, data, size / 2));
  return NEXT(write)(descriptor, data, size);
}

#define WRITE_AT(name, Offset)                                                                  \
  ssize_t name(int descriptor, const void* data, size_t size, Offset at) {                      \
    const Verdict verdict = judge("write", pathOf(descriptor), size > 1);                       \
    if (verdict == Verdict::Fail) return -1;                                                    \
    if (verdict == Verdict::Half) return afterHalf(NEXT(name)(descriptor, data, size / 2, at)); \
    return NEXT(name)(descriptor, data, size, at);                                              \
  }
WRITE_AT(pwrite, off_t)
WRITE_AT(pwrite64, off64_t)

ssize_t writev(int descriptor, const iovec* parts, int count) {
  const Verdict verdict = judge("write", pathOf(descriptor), count > 1);
  if (verdict == Verdict::Fail) return -1;
  if (verdict == Verdict::Half) return afterHalf(NEXT(writev)(descriptor, parts, count / 2));
  return NEXT(writev)(descriptor, parts, count);
}

int fsync(int descriptor) {
  return fails("fsync", pathOf(descriptor)) ? -1 : NEXT(fsync)(descriptor);
}
int fdatasync(int descriptor) {
  return fails("fsync", pathOf(descriptor)) ? -1 : NEXT(fdatasync)(descriptor);
}
int ftruncate(int descriptor, off_t size) noexcept {
  return fails("truncate", pathOf(descriptor)) ? -1 : NEXT(ftruncate)(descriptor, size);
}
int ftruncate64(int descriptor, off64_t size) noexcept {
  return fails("truncate", pathOf(descriptor)) ? -1 : NEXT(ftruncate64)(descriptor, size);
}
int truncate(const char* path, off_t size) noexcept {
  return fails("truncate", pathAt(AT_FDCWD, path)) ? -1 : NEXT(truncate)(path, size);
}
int truncate64(const char* path, off64_t size) noexcept {
  return fails("truncate", pathAt(AT_FDCWD, path)) ? -1 : NEXT(truncate64)(path, size);
}

// Of a rename the new name counts: that is where something appears.
int rename(const char* from, const char* to) noexcept {
  return fails("rename", pathAt(AT_FDCWD, to)) ? -1 : NEXT(rename)(from, to);
}
int renameat(int fromFolder, const char* from, int toFolder, const char* to) noexcept {
  return fails("rename", pathAt(toFolder, to)) ? -1
                                               : NEXT(renameat)(fromFolder, from, toFolder, to);
}
int renameat2(int fromFolder, const char* from, int toFolder, const char* to,
              unsigned flags) noexcept {
  if (fails("rename", pathAt(toFolder, to))) return -1;
  return NEXT(renameat2)(fromFolder, from, toFolder, to, flags);
}
int link(const char* from, const char* to) noexcept {
  return fails("link", pathAt(AT_FDCWD, to)) ? -1 : NEXT(link)(from, to);
}
int linkat(int fromFolder, const char* from, int toFolder, const char* to, int flags) noexcept {
  if (fails("link", pathAt(toFolder, to))) return -1;
  return NEXT(linkat)(fromFolder, from, toFolder, to, flags);
}

int symlink(const char* target, const char* to) noexcept {
  return fails("symlink", pathAt(AT_FDCWD, to)) ? -1 : NEXT(symlink)(target, to);
}
int symlinkat(const char* target, int toFolder, const char* to) noexcept {
  if (fails("symlink", pathAt(toFolder, to))) return -1;
  return NEXT(symlinkat)(target, toFolder, to);
}

int mkdir(const char* path, mode_t mode) noexcept {
  return fails("mkdir", pathAt(AT_FDCWD, path)) ? -1 : NEXT(mkdir)(path, mode);
}
int mkdirat(int folder, const char* path, mode_t mode) noexcept {
  return fails("mkdir", pathAt(folder, path)) ? -1 : NEXT(mkdirat)(folder, path, mode);
}

int unlink(const char* path) noexcept {
  return fails("unlink", pathAt(AT_FDCWD, path)) ? -1 : NEXT(unlink)(path);
}
int unlinkat(int folder, const char* path, int flags) noexcept {
  return fails("unlink", pathAt(folder, path)) ? -1 : NEXT(unlinkat)(folder, path, flags);
}
int remove(const char* path) noexcept {
  return fails("unlink", pathAt(AT_FDCWD, path)) ? -1 : NEXT(remove)(path);
}

int flock(int descriptor, int operation) noexcept {
  return fails("flock", pathOf(descriptor)) ? -1 : NEXT(flock)(descriptor, operation);
}

}  // extern "C"
