// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/CheckHeader.h"

#include <algorithm>

#include "core/base/Translation.h"
#include "core/checkpoint/ByteSource.h"
#include "core/checkpoint/Refusal.h"
#include "core/checkpoint/SafetensorsFile.h"
#include "core/checkpoint/ZipArchive.h"

namespace headlight {
namespace {

constexpr const char* kBarePickle = "\x80\x02\x8a\x0a";  // torch before 1.6

void checkHeaderOf(const ByteSource& source) {
  if (source.size() == 0) refuse(source.name(), tr("is empty; copy or download it again"));
  const std::string start = source.read(0, std::min<std::uint64_t>(source.size(), 9));
  if (start.starts_with("PK")) {
    const ZipArchive archive(source);
  } else if (start.size() == 9 && start[8] == '{') {
    openSafetensors(source);
  } else if (!start.starts_with(kBarePickle)) {
    refuse(source.name(),
           tr("is neither a safetensors file nor a .pth file of torch.save; download it again"),
           ErrorCode::UnsupportedFile);
  }
}

}  // namespace

Result<void> checkCheckpointHeader(const std::filesystem::path& path) {
  return guarded(path.string(), [&] { checkHeaderOf(*ByteSource::openFile(path)); });
}

}  // namespace headlight
