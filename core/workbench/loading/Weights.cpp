// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/loading/Weights.h"

#include <algorithm>

#include "core/base/Translation.h"
#include "core/checkpoint/ForeignNames.h"
#include "core/checkpoint/foreign/TimmNames.h"
#include "core/training/run/ModelFile.h"
#include "core/workbench/classes/ClassNames.h"
#include "core/workbench/loading/WeightsPlace.h"

namespace headlight {
namespace {

constexpr const char* kKeysEntry = "label_names";

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

bool namesObjects(const KnownClasses& known, const ModelInfo& info) {
  const ModelConfig& model = info.experiment.model;
  return model.classes == 0 && static_cast<int>(known.names.size()) == namedClasses(model);
}

/// Whether a file is of the folder's weights, or the index of their shards.
bool isOf(const HubFolder& folder, const std::filesystem::path& file) {
  if (isHubWeightsName(file.filename().string())) return true;
  const auto same = [&](const auto& weights) { return weights.filename() == file.filename(); };
  if (std::any_of(folder.weights.begin(), folder.weights.end(), same)) return true;
  const auto shards = isShardIndex(file) ? findShards(file) : Result(HubFolder().weights);
  return shards && !shards->empty() &&
         shards->front().filename() == folder.weights.front().filename();
}

}  // namespace

bool isWeightsFolder(const std::filesystem::path& path) {
  std::error_code unknown;
  return std::filesystem::is_directory(parseWeightsPlace(path).file, unknown);
}

std::filesystem::path fileOfWeights(const std::filesystem::path& path, const std::string& take) {
  WeightsPlace place = parseWeightsPlace(path);
  if (isWeightsFolder(path)) place.file = valueOrThrow(findHubFolder(place.file)).weightsPath();
  if (!take.empty()) place.take = take;
  return place.path();
}

std::filesystem::path folderAround(const std::filesystem::path& path) {
  const std::filesystem::path file = parseWeightsPlace(path).file;
  if (isWeightsFolder(file)) return valueOrThrow(findHubFolder(file)).folder;
  return std::filesystem::absolute(file).parent_path();
}

std::vector<std::filesystem::path> tensorFilesOf(const std::filesystem::path& path) {
  const std::filesystem::path file = parseWeightsPlace(path).file;
  if (isWeightsFolder(file)) return valueOrThrow(findHubFolder(file)).weights;
  auto shards = valueOrThrow(findShards(file));
  return shards.empty() ? std::vector{file} : shards;
}

std::vector<std::filesystem::path> filesOfWeights(const std::filesystem::path& path) {
  if (!isWeightsFolder(path)) return tensorFilesOf(path);
  const HubFolder folder = valueOrThrow(findHubFolder(parseWeightsPlace(path).file));
  std::vector<std::filesystem::path> files{folder.config()};
  files.insert(files.end(), folder.weights.begin(), folder.weights.end());
  return files;
}

Checkpoint readWeights(const std::filesystem::path& path, const std::string& take) {
  const std::string model = take.empty() ? parseWeightsPlace(path).take : take;
  Checkpoint checkpoint =
      weightsOf(inTimmNames(valueOrThrow(readCheckpoint(tensorFilesOf(path), model))));
  spreadGrayPatches(checkpoint);
  return checkpoint;
}

std::optional<HubModel> describedBeside(const std::filesystem::path& path,
                                        std::vector<std::string>& notes) {
  const std::filesystem::path weights = parseWeightsPlace(path).file;
  const bool folder = isWeightsFolder(weights);
  const std::filesystem::path place =
      folder ? weights : std::filesystem::absolute(weights).parent_path();
  if (!folder && !looksLikeHubFolder(place)) return std::nullopt;
  const auto found = findHubFolder(place);
  if (!found || (!folder && !isOf(*found, weights))) return std::nullopt;
  auto described = guarded(found->config().string(), [&] { return readHubConfig(*found); });
  if (described) return std::move(described).value();
  notes.push_back("the config.json beside it was not used: " + described.error().message);
  return std::nullopt;
}

KnownClasses findClasses(const Checkpoint& checkpoint, const std::filesystem::path& path) {
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
  if (namesObjects(own, info)) info.objectNames = own.names;
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
  if (info.classNames.empty()) return {info.objectNames, {}};
  return {info.classNames, info.classKeys};
}

void keepClassKeys(const KnownClasses& classes, std::map<std::string, std::string>& metadata) {
  if (!classes.keys.empty()) metadata[kKeysEntry] = Json(classes.keys).dump();
}

ModelClasses readModelClasses(const ModelInfo& info) {
  return {info.experiment.model.classes, info.classNames, info.classKeys, info.classNamesFrom,
          !info.randomWeights};
}

}  // namespace headlight
