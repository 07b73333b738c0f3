// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/loading/Weights.h"

#include <set>

#include "core/training/run/ModelFile.h"
#include "core/workbench/classes/ClassNames.h"

namespace headlight {
namespace {

constexpr const char* kKeysEntry = "label_names";

/// One tensor in two shards would be loaded from either.
void joinShard(Checkpoint& whole, Checkpoint part, std::set<std::string>& names,
               const std::filesystem::path& file) {
  for (auto& tensor : part.tensors) {
    if (!names.insert(tensor.first).second)
      throw Failure({ErrorCode::InvalidFile,
                     "has " + tensor.first + ", which another shard has too; download them again",
                     file.string()});
    whole.tensors.push_back(std::move(tensor));
  }
  whole.notes.insert(whole.notes.end(), part.notes.begin(), part.notes.end());
  whole.metadata.merge(part.metadata);
  if (whole.format.empty()) whole.format = part.format;
}

Checkpoint readShards(const std::vector<std::filesystem::path>& files) {
  Checkpoint whole;
  std::set<std::string> names;
  for (const auto& file : files)
    joinShard(whole, valueOrThrow(readCheckpoint(file)), names, file);
  return whole;
}

std::vector<std::string> keysIn(const Checkpoint& checkpoint, std::size_t count,
                                const std::string& where) {
  const auto entry = checkpoint.metadata.find(kKeysEntry);
  if (entry == checkpoint.metadata.end()) return {};
  auto keys = classNamesFromJson(metadataJson(entry->second, kKeysEntry, where), where);
  if (keys.size() != count) keys.clear();
  return keys;
}

bool fits(const KnownClasses& known, const ModelInfo& info) {
  return !known.names.empty() &&
         static_cast<int>(known.names.size()) == info.experiment.model.classes;
}

}  // namespace

bool isWeightsFolder(const std::filesystem::path& path) {
  std::error_code unknown;
  return std::filesystem::is_directory(path, unknown);
}

std::filesystem::path fileOfWeights(const std::filesystem::path& path) {
  return isWeightsFolder(path) ? valueOrThrow(findHubFolder(path)).weightsPath() : path;
}

std::vector<std::filesystem::path> filesOfWeights(const std::filesystem::path& path) {
  if (!isWeightsFolder(path)) return {path};
  const HubFolder folder = valueOrThrow(findHubFolder(path));
  std::vector<std::filesystem::path> files{folder.config()};
  files.insert(files.end(), folder.weights.begin(), folder.weights.end());
  return files;
}

Checkpoint readWeights(const std::filesystem::path& path) {
  if (!isWeightsFolder(path)) return weightsOf(valueOrThrow(readCheckpoint(path)));
  const HubFolder folder = valueOrThrow(findHubFolder(path));
  return weightsOf(readShards(folder.weights));
}

std::optional<HubModel> describedBeside(const std::filesystem::path& weights,
                                        std::vector<std::string>& notes) {
  const bool folder = isWeightsFolder(weights);
  const std::filesystem::path place =
      folder ? weights : std::filesystem::absolute(weights).parent_path();
  if (!folder && !looksLikeHubFolder(place)) return std::nullopt;
  const auto found = findHubFolder(place);
  if (!found || (!folder && found->weights.front().filename() != weights.filename()))
    return std::nullopt;
  auto described = guarded(found->config().string(), [&] { return readHubConfig(*found); });
  if (described) return std::move(described).value();
  notes.push_back("the config.json beside it was not used: " + described.error().message);
  return std::nullopt;
}

KnownClasses classesOf(const Checkpoint& checkpoint, const std::filesystem::path& path) {
  const std::string where = path.string();
  const auto metadata = valueOrThrow(readModelMetadata(checkpoint.metadata, where));
  if (metadata && !metadata->classNames.empty())
    return {metadata->classNames, keysIn(checkpoint, metadata->classNames.size(), where)};
  std::vector<std::string> ignored;
  const auto beside = metadata ? std::nullopt : describedBeside(path, ignored);
  return beside ? KnownClasses{beside->classNames, beside->classKeys} : KnownClasses{};
}

void nameClasses(ModelInfo& info, const KnownClasses& own, const std::filesystem::path& file) {
  const bool named = fits(own, info);
  if (!file.empty()) {
    info.classNames = valueOrThrow(readClassNames(file, info.experiment.model.classes));
    info.classKeys = !named ? std::vector<std::string>() : own.keys.empty() ? own.names : own.keys;
    info.classNamesFrom = ClassNamesFrom::File;
  } else if (named) {
    info.classNames = own.names;
    info.classKeys = own.keys;
    info.classNamesFrom = ClassNamesFrom::Model;
  } else if (info.experiment.model.classes == static_cast<int>(imagenetNames().size())) {
    info.classNames = imagenetNames();
    info.classKeys = imagenetSynsets();
    info.classNamesFrom = ClassNamesFrom::ImageNet;
  }
}

KnownClasses classesToKeep(const ModelInfo& info) {
  if (info.classNamesFrom == ClassNamesFrom::ImageNet) return {};
  return {info.classNames, info.classKeys};
}

void keepClassKeys(const KnownClasses& classes, std::map<std::string, std::string>& metadata) {
  if (!classes.keys.empty()) metadata[kKeysEntry] = Json(classes.keys).dump();
}

ModelClasses modelClassesOf(const ModelInfo& info) {
  return {info.experiment.model.classes, info.classNames, info.classKeys, info.classNamesFrom,
          !info.randomWeights};
}

}  // namespace headlight
