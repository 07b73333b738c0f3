// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/hub/PartialBlob.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vector>

#include "core/base/FreeMemory.h"
#include "core/base/Translation.h"
#include "core/workbench/hub/WholeFile.h"

namespace headlight {
namespace {

constexpr std::size_t kChunkBytes = 1 << 20;

void flushBlobFolder(const std::filesystem::path& folder) {
  const FileDescriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened.valid() || ::fsync(opened.get()) != 0)
    throw Failure(systemFailure(folder, tr("flush the folder")));
}

bool isLarge(const HubFile& file) {
  return file.etag.size() == 64;
}

}  // namespace

PartialBlob::PartialBlob(const HubCache& cache, HubFile file, const std::stop_token& stop)
    : m_path(cache.partial(file)), m_final(cache.blob(file)), m_file(std::move(file)) {
  m_descriptor =
      FileDescriptor(::open(m_path.c_str(), O_RDWR | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0666));
  if (!m_descriptor.valid()) throw Failure(systemFailure(m_path, "open"));
  readBack(stop);
}

void PartialBlob::readBack(const std::stop_token& stop) {
  struct stat status {};
  if (::fstat(m_descriptor.get(), &status) != 0)
    throw Failure(systemFailure(m_path, tr("look at")));
  if (!S_ISREG(status.st_mode))
    throw Failure(Error{ErrorCode::InvalidFile,
                        tr("is not a regular file, so the download cannot resume; remove it"),
                        m_path.string()});
  if (status.st_size > m_file.size) return restart();
  m_digest = makeDigest(m_file);
  std::vector<char> chunk(kChunkBytes);
  while (m_size < status.st_size) {
    if (stop.stop_requested())
      throw Failure(Error{ErrorCode::Canceled, "stopped", m_path.string()});
    const ssize_t got = ::read(m_descriptor.get(), chunk.data(), chunk.size());
    if (got < 0) throw Failure(systemFailure(m_path, "read"));
    if (got == 0) break;
    m_digest->add(chunk.data(), static_cast<std::size_t>(got));
    m_size += got;
  }
}

void PartialBlob::restart() {
  if (::ftruncate(m_descriptor.get(), 0) != 0 || ::lseek(m_descriptor.get(), 0, SEEK_SET) != 0)
    throw Failure(systemFailure(m_path, "empty"));
  m_size = 0;
  m_digest = makeDigest(m_file);
}

void PartialBlob::append(const void* data, std::size_t size) {
  if (m_size + static_cast<std::int64_t>(size) > m_file.size)
    refuse(tr("the server sends more than the ") + std::to_string(m_file.size) +
           tr(" bytes that the hub announced"));
  valueOrThrow(writeWhole(m_descriptor, data, size, m_path));
  m_digest->add(data, size);
  m_size += static_cast<std::int64_t>(size);
}

void PartialBlob::refuse(const std::string& message) const {
  ::unlink(m_path.c_str());
  throw Failure(Error{ErrorCode::InvalidFile,
                      message + tr("; the received part was deleted, try again"), m_file.name});
}

void PartialBlob::keep() {
  if (const std::string found = m_digest->text(); found != m_file.etag)
    refuse(std::string(tr("does not match the hub: its ")) +
           (isLarge(m_file) ? "SHA-256" : "hash") + " is " + found + tr(", the hub's ") +
           m_file.etag);
  if (::fsync(m_descriptor.get()) != 0)
    throw Failure(systemFailure(m_path, tr("flush to the disk")));
  if (const int code = m_descriptor.close()) throw Failure(systemFailure(m_path, "close", code));
  if (::rename(m_path.c_str(), m_final.c_str()) != 0)
    throw Failure(systemFailure(m_final, tr("put in its place")));
  flushBlobFolder(m_final.parent_path());
}

void PartialBlob::requireSpace() const {
  std::error_code unknown;
  const auto space = std::filesystem::space(m_path.parent_path(), unknown);
  const auto needed = static_cast<std::uintmax_t>(m_file.size - m_size);
  if (unknown || space.available >= needed) return;
  throw Failure(
      Error{ErrorCode::Io,
            "needs " + bytesText(m_file.size - m_size) + tr(" on the disk, and ") +
                bytesText(static_cast<std::int64_t>(space.available)) +
                tr(" are free; free some space, or put the cache elsewhere (HF_HUB_CACHE)"),
            m_path.parent_path().string()});
}

}  // namespace headlight
