// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/hub/HubCache.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "core/base/Translation.h"
#include "core/base/files/Files.h"

namespace headlight {
namespace {

constexpr auto kLockPoll = std::chrono::milliseconds(100);
constexpr std::uintmax_t kMaxRefBytes = 4096;

std::string folderOfRepository(const std::string& repository) {
  const auto slash = repository.find('/');
  return "models--" + repository.substr(0, slash) + "--" + repository.substr(slash + 1);
}

void makeCacheFolder(const std::filesystem::path& folder) {
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (problem) throw Failure(systemFailure(folder, tr("make the folder"), problem.value()));
}

/// What vfat, shares and some drives in user space say where a link is to be made.
bool hasNoLinks(const std::error_code& problem) {
  const int code = problem.value();
  // The last two are one on Linux. NOLINTNEXTLINE(misc-redundant-expression)
  return code == EPERM || code == ENOSYS || code == ENOTSUP || code == EOPNOTSUPP;
}

bool isHexadecimal(const std::string& text) {
  return text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

HubCache::HubCache(std::filesystem::path cache, const std::string& repository)
    : m_folder(cache / folderOfRepository(repository)),
      m_locks(cache / ".locks" / folderOfRepository(repository)) {}

std::filesystem::path HubCache::partial(const HubFile& file) const {
  return m_folder / "blobs" / (file.etag + ".incomplete");
}

std::string HubCache::mainCommit() const {
  const auto text = readFile(m_folder / "refs" / "main", kMaxRefBytes);
  if (!text) return "";
  const std::string commit = text->substr(0, text->find_last_not_of(" \r\n") + 1);
  return isHexadecimal(commit) ? commit : "";
}

std::string HubCache::onlyCommit() const {
  if (isThere(m_folder / "refs" / "main")) return "";
  std::string only;
  std::error_code unknown;
  std::filesystem::directory_iterator entries(m_folder / "snapshots", unknown), end;
  for (; !unknown && entries != end; entries.increment(unknown)) {
    if (!only.empty()) return "";
    only = entries->path().filename().string();
  }
  return isHexadecimal(only) ? only : "";
}

void HubCache::makeFolders() const {
  makeCacheFolder(m_folder / "blobs");
  makeCacheFolder(m_locks);
}

FileDescriptor HubCache::lock(const HubFile& file, std::stop_token stop,
                              const HubRequests::Reported& reported) const {
  const auto path = m_locks / (file.etag + ".lock");
  FileDescriptor lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0664));
  if (!lock.valid()) throw Failure(systemFailure(path, tr("open the lock")));
  for (bool first = true; ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0; first = false) {
    if (errno != EWOULDBLOCK && errno != EINTR) throw Failure(systemFailure(path, "lock"));
    if (stop.stop_requested()) throw Failure(Error{ErrorCode::Canceled, "stopped", path.string()});
    if (first && reported) reported("another program is downloading this file; waiting");
    std::this_thread::sleep_for(kLockPoll);
  }
  return lock;
}

/// A link that leads to the blob. False where the file system has no links.
bool HubCache::linkBeside(const HubFile& file, const std::filesystem::path& beside) const {
  std::error_code unknown;
  // From a snapshot's folder that lies elsewhere, behind a link, only the whole path leads there.
  for (const auto& target : {std::filesystem::path("..") / ".." / "blobs" / file.etag,
                             std::filesystem::absolute(blob(file), unknown)}) {
    std::filesystem::remove(beside, unknown);
    std::error_code problem;
    std::filesystem::create_symlink(target, beside, problem);
    if (hasNoLinks(problem)) return false;
    if (problem) throw Failure(systemFailure(beside, "link", problem.value()));
    if (std::filesystem::equivalent(beside, blob(file), unknown)) return true;
  }
  throw Failure(Error{ErrorCode::Io,
                      tr("links to blobs/ do not work on this disk; put the cache on another disk, "
                         "or set another one (HF_HUB_CACHE)"),
                      beside.string()});
}

void HubCache::link(const HubFile& file) const {
  const auto folder = snapshot(file.commit);
  makeCacheFolder(folder);
  const auto beside = folder / (file.name + ".part");
  const auto made = linkBeside(file, beside) ? beside : blob(file);
  if (::rename(made.c_str(), (folder / file.name).c_str()) != 0)
    throw Failure(systemFailure(folder / file.name, tr("put in its place")));
}

void HubCache::setMain(const std::string& commit) const {
  if (mainCommit() == commit) return;
  makeCacheFolder(m_folder / "refs");
  valueOrThrow(writeFileAtomically(m_folder / "refs" / "main", commit));
}

}  // namespace headlight
