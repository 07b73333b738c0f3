// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/hub/WholeFile.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "core/base/files/FileDescriptor.h"

namespace headlight {
namespace {

constexpr std::size_t kReadBytes = 1 << 20;
constexpr std::size_t kSha256Digits = 64;

bool hasSize(const FileDescriptor& opened, std::int64_t size) {
  struct stat status {};
  return ::fstat(opened.get(), &status) == 0 && S_ISREG(status.st_mode) && status.st_size == size;
}

}  // namespace

std::unique_ptr<Digest> makeDigest(const HubFile& file) {
  const bool large = file.etag.size() == kSha256Digits;
  return std::make_unique<Digest>(large ? Digest::Kind::Sha256 : Digest::Kind::GitBlob, file.size);
}

bool isWholeFile(const std::filesystem::path& path, const HubFile& file,
                 const std::stop_token& stop, const std::function<void()>& reported) {
  // A pipe of that name must not be waited for.
  const FileDescriptor opened(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!opened.valid() || !hasSize(opened, file.size)) return false;
  if (reported) reported();
  const auto digest = makeDigest(file);
  std::vector<char> chunk(kReadBytes);
  std::int64_t have = 0;
  for (;;) {
    if (stop.stop_requested()) throw Failure(Error{ErrorCode::Canceled, "stopped", path.string()});
    const ssize_t got = ::read(opened.get(), chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    if (got == 0) break;
    digest->add(chunk.data(), static_cast<std::size_t>(got));
    have += got;
  }
  return have == file.size && digest->text() == file.etag;
}

}  // namespace headlight
