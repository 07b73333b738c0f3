// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/adapt/KeptTaught.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/Translation.h"
#include "core/base/files/FileStamp.h"
#include "core/base/files/OpenFolder.h"
#include "core/config/RunId.h"
#include "core/workbench/loading/WeightsName.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

/// With id and ending below what file systems take, 255.
constexpr std::size_t kMostTaughtNameBytes = 160;
constexpr std::uintmax_t kMostSessionBytes = 32u << 20;

/// Cut between letters, not within one.
std::string shortenedName(std::string name) {
  if (name.size() <= kMostTaughtNameBytes) return name;
  std::size_t end = kMostTaughtNameBytes;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80)
    --end;
  name.resize(end);
  return name;
}

/// The same classifier is kept once.
std::string taughtFileName(InferenceSession& taught) {
  const ModelInfo& info = taught.info();
  const std::string name =
      info.weightsName.empty() ? tr("random weights") + std::string(" + probe") : info.weightsName;
  const std::string id = makeRunId(Json{
      {"weights", valueOrThrow(taught.digest())}, {"classes", info.classNames}, {"name", name}});
  return shortenedName(folderNameFrom(name, "_")) + "-" + id + ".safetensors";
}

/// What a killed program had not finished is as old as the others.
bool isOfTaught(const OpenFolder& folder, const std::string& name) {
  const std::size_t part = name.rfind(".safetensors.part");
  const std::string whole = part == std::string::npos ? name : name.substr(0, part + 12);
  return !keptTaughtName(folder.pathOf(whole)).empty();
}

std::string sessionTexts(const fs::path& beside) {
  std::string texts;
  const auto folder = OpenFolder::open(beside);
  if (!folder) return texts;
  for (const std::string& name : folder->names())
    if (name.starts_with("session") && name.ends_with(".json"))
      if (const auto text = folder->read(name, kMostSessionBytes)) texts += *text;
  return texts;
}

/// By the id: the rest of a name is escaped in JSON.
bool isNamedIn(const std::string& sessions, const std::string& file) {
  return sessions.find(file.substr(file.rfind('-'))) != std::string::npos;
}

struct TaughtFile {
  FileStamp stamp;
  std::string name;
};

/// The newest first.
std::vector<TaughtFile> otherTaughtFiles(const OpenFolder& folder, const std::string& own) {
  std::vector<TaughtFile> files;
  for (const std::string& name : folder.names())
    if (const auto stamp = fileStamp(folder, name);
        stamp && name != own && isOfTaught(folder, name))
      files.push_back({*stamp, name});
  std::sort(files.begin(), files.end(), [](const TaughtFile& a, const TaughtFile& b) {
    return std::tie(b.stamp.seconds, b.stamp.nanoseconds, b.name) <
           std::tie(a.stamp.seconds, a.stamp.nanoseconds, a.name);
  });
  return files;
}

void makeRoomBeside(const OpenFolder& folder, const std::string& own, const fs::path& inUse) {
  const std::string sessions = sessionTexts(folder.path().parent_path());
  std::size_t count = 1;  // the one that comes
  std::uintmax_t bytes = 0;
  for (const auto& [stamp, name] : otherTaughtFiles(folder, own)) {
    bytes += static_cast<std::uintmax_t>(stamp.size);
    if (++count <= kMostKeptTaught && bytes <= kMostKeptTaughtBytes) continue;
    if (name != inUse.filename() && !isNamedIn(sessions, name)) folder.remove(name);
  }
}

}  // namespace

Result<void> keepTaught(InferenceSession& taught, const MaskScheme& masks, const fs::path& folder,
                        const fs::path& inUse) {
  return guarded(folder.string(), [&] {
    const std::string name = taughtFileName(taught);
    makeRoomBeside(valueOrThrow(OpenFolder::make(folder)), name, inUse);
    valueOrThrow(taught.moveTo(folder / name, masks));
  });
}

}  // namespace headlight
