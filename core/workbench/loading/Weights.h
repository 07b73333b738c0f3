// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Weights wherever they lie, and what is known of their classes. Torch types: core only.

#include <filesystem>
#include <optional>

#include "core/checkpoint/Checkpoint.h"
#include "core/workbench/classes/ClassMatch.h"
#include "core/workbench/loading/HubConfig.h"
#include "core/workbench/loading/ModelInfo.h"

namespace headlight {

/// The tensors of a file, or of a folder of the hub (HubFolder.h), an index of shards or one of them
/// with all shards; without what only a training needs. `take`: as readCheckpoint's; here and below a
/// path may name it too (WeightsPlace.h). Throws Failure.
Checkpoint readWeights(const std::filesystem::path& path, const std::string& take = {});

/// The folder of the hub, or the one that the file lies in: where config.json and a tokenizer are.
std::filesystem::path folderAround(const std::filesystem::path& path);

/// The files of tensors that readWeights() reads. Throws Failure.
std::vector<std::filesystem::path> tensorFilesOf(const std::filesystem::path& path);

/// Whether it is a folder, which then has to be one of the hub.
bool isWeightsFolder(const std::filesystem::path& path);

/// The one file of such a folder (of shards the folder); `path` itself where it is a file. With
/// `take`, if there is one (WeightsPlace::path). Throws Failure.
std::filesystem::path fileOfWeights(const std::filesystem::path& path,
                                    const std::string& take = {});

/// All that it consists of: config.json and every shard of a folder, all shards, else the file.
std::vector<std::filesystem::path> filesOfWeights(const std::filesystem::path& path);

/// What timm's config.json beside `weights` says, where they are the weights of that folder; or
/// that of the folder `weights`. Nothing where there is none, or none that this program can use:
/// then `notes` says why.
std::optional<HubModel> describedBeside(const std::filesystem::path& weights,
                                        std::vector<std::string>& notes);

struct KnownClasses {
  std::vector<std::string> names;  ///< empty: none
  std::vector<std::string> keys;   ///< as ModelInfo::classKeys
};

/// From the checkpoint's metadata, else from the config.json beside it.
KnownClasses findClasses(const Checkpoint& checkpoint, const std::filesystem::path& path);

/// Names the classes of a model of `info.experiment`: by the file, if one is given, by its own
/// names, if there are as many, else, of 1000 classes, by ImageNet-1k's. Throws Failure: the file
/// has another number of names.
void nameClasses(ModelInfo& info, const KnownClasses& own, const std::filesystem::path& file = {});

/// What is written into files of a model: its names, unless they were assumed.
KnownClasses classesToKeep(const ModelInfo& info);
/// Adds keys to a file's metadata, which carry the names already.
void keepClassKeys(const KnownClasses& classes, std::map<std::string, std::string>& metadata);

/// For matchClasses().
ModelClasses readModelClasses(const ModelInfo& info);

}  // namespace headlight
