// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/hub/HubCache.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <thread>

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
  if (problem) throw Failure(systemFailure(folder, "make the folder", problem.value()));
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
  const bool plain = commit.find_first_not_of("0123456789abcdef") == std::string::npos;
  return plain ? commit : "";
}

void HubCache::makeFolders() const {
  makeCacheFolder(m_folder / "blobs");
  makeCacheFolder(m_locks);
}

FileDescriptor HubCache::lock(const HubFile& file, std::stop_token stop,
                              const HubRequests::Told& told) const {
  const auto path = m_locks / (file.etag + ".lock");
  FileDescriptor lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0664));
  if (!lock.valid()) throw Failure(systemFailure(path, "open the lock"));
  for (bool first = true; ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0; first = false) {
    if (errno != EWOULDBLOCK && errno != EINTR) throw Failure(systemFailure(path, "lock"));
    if (stop.stop_requested()) throw Failure(Error{ErrorCode::Canceled, "stopped", path.string()});
    if (first && told) told("another program downloads this file; waiting for it");
    std::this_thread::sleep_for(kLockPoll);
  }
  return lock;
}

void HubCache::link(const HubFile& file) const {
  const auto folder = snapshot(file.commit);
  makeCacheFolder(folder);
  const auto target = std::filesystem::path("..") / ".." / "blobs" / file.etag;
  const auto beside = folder / ("." + file.name + ".part" + std::to_string(::getpid()));
  std::error_code problem;
  std::filesystem::remove(beside, problem);
  std::filesystem::create_symlink(target, beside, problem);
  const auto made = problem ? blob(file) : beside;  // a file system without links
  if (problem && !isThere(made)) return;            // then it was put there before
  if (::rename(made.c_str(), (folder / file.name).c_str()) != 0)
    throw Failure(systemFailure(folder / file.name, "put in its place"));
}

void HubCache::setMain(const std::string& commit) const {
  if (mainCommit() == commit) return;
  makeCacheFolder(m_folder / "refs");
  valueOrThrow(writeFileAtomically(m_folder / "refs" / "main", commit));
}

}  // namespace headlight
