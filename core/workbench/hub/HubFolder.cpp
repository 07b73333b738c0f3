// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/hub/HubFolder.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>

#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/config/ConfigText.h"
#include "core/training/run/RunFolder.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEntryPrefix = "models--";
constexpr std::array kConfigNames{"config.json", "open_clip_config.json"};
constexpr std::string_view kIndexEnding = ".index.json";
constexpr std::string_view kShardOf = "-of-";
constexpr std::size_t kShardDigits = 5;
constexpr std::uintmax_t kLargestRef = 4096;
constexpr std::size_t kMostShards = 1000;
constexpr int kMostEntries = 100'000;  ///< of a folder that are looked at
/// In the order in which timm looks for them.
constexpr std::array kWeightNames{"model.safetensors",           "pytorch_model.bin",
                                  "pytorch_model.pth",           "model.pth",
                                  "open_clip_model.safetensors", "open_clip_pytorch_model.bin"};

[[noreturn]] void failHub(ErrorCode code, const std::string& message, const fs::path& where) {
  throw Failure({code, message, where.string()});
}

bool isLinkAt(const fs::path& path) {
  std::error_code unknown;
  return fs::is_symlink(fs::symlink_status(path, unknown));
}

bool leadsToFolder(const fs::path& path) {
  std::error_code unknown;
  return fs::is_directory(path, unknown);
}

bool leadsToFile(const fs::path& path) {
  std::error_code unknown;
  return fs::is_regular_file(path, unknown);
}

/// Whether there is anything of that name, a link that leads nowhere too.
bool isNamed(const fs::path& path) {
  std::error_code unknown;
  return fs::exists(fs::symlink_status(path, unknown));
}

/// timm's and transformers', else open_clip's; empty where there is neither.
std::string configNameIn(const fs::path& folder) {
  for (const char* name : kConfigNames)
    if (isNamed(folder / name)) return name;
  return {};
}

std::vector<std::string> entryNames(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code unknown;
  fs::directory_iterator entries(folder, unknown);
  for (; !unknown && entries != fs::directory_iterator() && names.size() < kMostEntries;
       entries.increment(unknown))
    names.push_back(entries->path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string leafOf(const fs::path& path) {
  std::error_code unknown;
  const fs::path whole = fs::absolute(path, unknown).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

/// The cache entry that a snapshot lies in; empty for a folder elsewhere.
fs::path cacheEntryOf(const fs::path& snapshot) {
  std::error_code unknown;
  fs::path whole = fs::absolute(snapshot, unknown).lexically_normal();
  if (!whole.has_filename()) whole = whole.parent_path();
  const fs::path snapshots = whole.parent_path();
  const bool inside = snapshots.filename() == "snapshots" &&
                      !hubRepository(snapshots.parent_path().filename().string()).empty();
  return inside ? snapshots.parent_path() : fs::path();
}

std::string askForAnother(const fs::path& entry) {
  bool partial = false;
  if (!entry.empty())
    for (const std::string& name : entryNames(entry / "blobs"))
      partial = partial || name.ends_with(".incomplete");
  return partial ? "; its download was cut off (a blob is .incomplete): download it again"
                 : "; download it again";
}

/// Is a regular file, wherever links lead.
void requireFile(const fs::path& file, const fs::path& entry) {
  if (leadsToFile(file)) return;
  if (isLinkAt(file) && !leadsToFolder(file))
    failHub(ErrorCode::InvalidFile,
            tr("is a broken link: the download is incomplete") + askForAnother(entry), file);
  failHub(ErrorCode::UnsupportedFile,
          tr("is not a regular file; weights and configs must be files"), file);
}

fs::path snapshotNamed(const fs::path& entry, const std::string& hash) {
  const bool plain = !hash.empty() && hash.find_first_of("/\\") == std::string::npos &&
                     hash[0] != '.' && hash.size() < 256;
  if (!plain)
    failHub(ErrorCode::InvalidFile, tr("does not name a snapshot; download the model again"),
            entry / "refs" / "main");
  fs::path snapshot = entry / "snapshots" / hash;
  if (!leadsToFolder(snapshot))
    failHub(ErrorCode::InvalidFile,
            tr("is missing, though refs/main names it: the download is incomplete") +
                askForAnother(entry),
            snapshot);
  return snapshot;
}

/// Without refs/main (a revision was asked for by its hash) the only snapshot there is.
fs::path onlySnapshot(const fs::path& entry, std::vector<std::string>& notes) {
  const auto names = entryNames(entry / "snapshots");
  if (names.empty())
    failHub(ErrorCode::InvalidFile,
            tr("has no refs/main and no snapshot: the download is missing or incomplete") +
                askForAnother(entry),
            entry);
  if (names.size() > 1)
    failHub(ErrorCode::InvalidFile,
            tr("has no refs/main, and ") + std::to_string(names.size()) +
                tr(" snapshots; open one of them, such as snapshots/") + names.front(),
            entry);
  notes.push_back("refs/main is missing: using the only snapshot, " + names.front());
  return entry / "snapshots" / names.front();
}

fs::path snapshotOf(const fs::path& entry, std::vector<std::string>& notes) {
  const fs::path ref = entry / "refs" / "main";
  if (!isNamed(ref)) return onlySnapshot(entry, notes);
  std::string hash = valueOrThrow(readFile(ref, kLargestRef));
  hash.erase(std::min(hash.find_first_of(" \t\r\n"), hash.size()));
  return snapshotNamed(entry, hash);
}

/// The files that an index of shards names, each once. They lie beside it.
std::vector<fs::path> shardsOf(const fs::path& index, const fs::path& entry) {
  requireFile(index, entry);
  const Json json =
      valueOrThrow(parseConfigJson(valueOrThrow(readFile(index, kMaxConfigText)), index.string()));
  std::set<std::string> names;
  const bool mapped = json.is_object() && json.contains("weight_map") &&
                      json["weight_map"].is_object() && !json["weight_map"].empty();
  if (!mapped)
    failHub(ErrorCode::InvalidFile, tr("has no weight_map with the file of each tensor"), index);
  for (const auto& [tensor, file] : json["weight_map"].items()) {
    const std::string name = file.is_string() ? file.get<std::string>() : "";
    if (name.empty() || name.find_first_of("/\\") != std::string::npos || name[0] == '.')
      failHub(ErrorCode::UnsupportedFile, "has " + tensor + tr(" in no file beside it"), index);
    names.insert(name);
  }
  if (names.size() > kMostShards)
    failHub(ErrorCode::UnsupportedFile, tr("names more than 1000 files"), index);
  std::vector<fs::path> shards;
  for (const std::string& name : names) {
    const fs::path shard = index.parent_path() / name;
    if (!isNamed(shard))
      failHub(ErrorCode::InvalidFile,
              tr("is missing, though ") + index.filename().string() + tr(" names it") +
                  askForAnother(entry),
              shard);
    requireFile(shard, entry);
    shards.push_back(shard);
  }
  return shards;
}

/// "model-00002-of-00005.safetensors"
struct ShardName {
  std::string stem, ending;  ///< "model", ".safetensors"
  std::size_t count = 0;

  std::string numbered(std::size_t number) const {
    return stem + "-" + padded(number) + std::string(kShardOf) + padded(count) + ending;
  }

 private:
  static std::string padded(std::size_t number) {
    const std::string digits = std::to_string(number);
    return std::string(kShardDigits - std::min(kShardDigits, digits.size()), '0') + digits;
  }
};

std::optional<ShardName> shardName(const std::string& name) {
  const auto place = name.rfind(kShardOf);
  const std::size_t after = place + kShardOf.size();
  if (place == std::string::npos || place < kShardDigits + 1 || after + kShardDigits > name.size())
    return std::nullopt;
  const std::string number = name.substr(place - kShardDigits, kShardDigits),
                    count = name.substr(after, kShardDigits);
  const bool digits = (number + count).find_first_not_of("0123456789") == std::string::npos;
  if (!digits || name[place - kShardDigits - 1] != '-') return std::nullopt;
  return ShardName{name.substr(0, place - kShardDigits - 1), name.substr(after + kShardDigits),
                   static_cast<std::size_t>(std::stoul(count))};
}

/// By their names, where no index says them.
std::vector<fs::path> numberedShards(const fs::path& file, const ShardName& name) {
  if (name.count == 0 || name.count > kMostShards)
    failHub(ErrorCode::UnsupportedFile, tr("is one of no shards, or of more than 1000"), file);
  std::vector<fs::path> shards;
  for (std::size_t number = 1; number <= name.count; ++number) {
    shards.push_back(file.parent_path() / name.numbered(number));
    if (!isNamed(shards.back()))
      failHub(ErrorCode::InvalidFile,
              tr("is missing, a shard of the same weights as ") + file.filename().string() +
                  tr("; download it too"),
              shards.back());
    requireFile(shards.back(), {});
  }
  return shards;
}

/// A folder with weights by another name has to have one file of them alone.
std::vector<fs::path> onlyWeights(const fs::path& folder) {
  for (const char* ending : {".safetensors", ".pth", ".bin"}) {
    std::vector<fs::path> found;
    for (const std::string& name : entryNames(folder))
      if (name.ends_with(ending)) found.push_back(folder / name);
    if (found.size() == 1) return found;
  }
  return {};
}

std::vector<fs::path> weightsIn(const fs::path& folder, const fs::path& entry) {
  for (const char* name : kWeightNames) {
    if (isNamed(folder / name))
      return requireFile(folder / name, entry), std::vector{folder / name};
    const fs::path index = folder / (name + std::string(kIndexEnding));
    if (isNamed(index)) return shardsOf(index, entry);
  }
  auto found = onlyWeights(folder);
  if (found.empty())
    failHub(ErrorCode::NotFound,
            tr("contains no weights (model.safetensors, pytorch_model.bin)") +
                (entry.empty() ? std::string() : askForAnother(entry)),
            folder);
  requireFile(found.front(), entry);
  return found;
}

}  // namespace

std::uint64_t HubFolder::bytes() const {
  std::uint64_t sum = 0;
  std::error_code unknown;
  for (const fs::path& file : weights) {
    const auto size = fs::file_size(file, unknown);
    if (!unknown) sum += size;
  }
  return sum;
}

std::string hubRepository(const std::string& entryName) {
  if (!entryName.starts_with(kEntryPrefix)) return {};
  std::string name = entryName.substr(std::string_view(kEntryPrefix).size());
  const auto dashes = name.find("--");
  if (dashes == std::string::npos) return name;
  std::string repository = name.substr(0, dashes);
  repository += '/';
  repository += name.substr(dashes + 2);
  return repository;
}

bool looksLikeHubFolder(const fs::path& path) {
  if (!leadsToFolder(path)) return false;
  if (!hubRepository(leafOf(path)).empty()) return leadsToFolder(path / "snapshots");
  if (configNameIn(path).empty()) return !cacheEntryOf(path).empty();
  if (isNamed(path / "metrics.jsonl") || isNamed(path / kRunLast)) return false;
  const auto isThere = [&](const char* name) {
    return isNamed(path / name) || isNamed(path / (name + std::string(kIndexEnding)));
  };
  return !onlyWeights(path).empty() ||
         std::any_of(kWeightNames.begin(), kWeightNames.end(), isThere);
}

bool isHubConfig(const fs::path& path) {
  std::error_code unknown;
  if (path.filename() == kConfigNames[1]) return leadsToFile(path);
  if (path.filename() != kConfigNames[0] || !leadsToFile(path)) return false;
  if (!looksLikeHubFolder(fs::absolute(path, unknown).parent_path())) return false;
  const auto text = readFile(path, kMaxConfigText);
  return text && (text->find("\"architecture\"") != std::string::npos ||
                  text->find("\"model_type\"") != std::string::npos);
}

bool isHubWeightsName(const std::string& name) {
  return std::find(kWeightNames.begin(), kWeightNames.end(), name) != kWeightNames.end();
}

bool isShardIndex(const fs::path& file) {
  return file.filename().string().ends_with(kIndexEnding);
}

Result<std::vector<fs::path>> findShards(const fs::path& file) {
  return guarded(file.string(), [&]() -> std::vector<fs::path> {
    const fs::path entry = cacheEntryOf(file.parent_path());
    if (isShardIndex(file)) return shardsOf(file, entry);
    const std::string name = file.filename().string();
    const auto shard = shardName(name);
    if (!shard) return {};
    const fs::path index =
        file.parent_path() / (shard->stem + shard->ending + std::string(kIndexEnding));
    if (!isNamed(index)) return numberedShards(file, *shard);
    auto shards = shardsOf(index, entry);
    const bool listed = std::any_of(shards.begin(), shards.end(),
                                    [&](const auto& s) { return s.filename() == name; });
    return listed ? shards : std::vector<fs::path>();
  });
}

Result<HubFolder> findHubFolder(const fs::path& path) {
  return guarded(path.string(), [&] {
    if (!leadsToFolder(path)) failHub(ErrorCode::NotFound, tr("is not a model folder"), path);
    HubFolder found;
    const std::string repository = hubRepository(leafOf(path));
    found.folder = repository.empty() ? path : snapshotOf(path, found.notes);
    const fs::path entry = repository.empty() ? cacheEntryOf(path) : path;
    found.name = entry.empty() ? leafOf(path) : hubRepository(leafOf(entry));
    if (const std::string name = configNameIn(found.folder); !name.empty()) found.configName = name;
    if (!isNamed(found.config()))
      failHub(ErrorCode::NotFound,
              tr("contains no config.json that identifies its model") +
                  (entry.empty() ? std::string() : askForAnother(entry)),
              found.folder);
    requireFile(found.config(), entry);
    found.weights = weightsIn(found.folder, entry);
    return found;
  });
}

}  // namespace headlight
