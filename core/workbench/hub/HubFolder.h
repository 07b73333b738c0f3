// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Where the files of a model from the Hugging Face hub lie: a folder with config.json and weights,
// as timm saves and reads it, or an entry of the hub's cache, whose files are links to `blobs`
// named by what is in them. Nothing is read but the names, refs/main and an index of shards. No
// torch type here.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/Result.h"

namespace headlight {

struct HubFolder {
  std::filesystem::path folder;  ///< that holds config.json: of a cache entry the snapshot
  std::string name;              ///< "timm/vit_tiny_patch16_224.augreg_in21k" of a cache entry;
                                 ///< else the folder's own
  std::vector<std::filesystem::path> weights;  ///< one file, or the shards in order
  std::vector<std::string> notes;              ///< what had to be assumed

  std::string configName = "config.json";  ///< or open_clip's

  std::filesystem::path config() const { return folder / configName; }
  /// The one file; of shards the folder.
  std::filesystem::path weightsPath() const {
    return weights.size() == 1 ? weights.front() : folder;
  }
  /// For all weights; 0 if unknown.
  std::uint64_t bytes() const;
};

/// Whether a folder calls itself one: a cache entry (models--…), or config.json beside weights by
/// the names that timm looks for. A training run's folder is none.
bool looksLikeHubFolder(const std::filesystem::path& path);

/// Whether a file is timm's or transformers' config.json in such a folder: naming it is naming the folder.
bool isHubConfig(const std::filesystem::path& path);

/// "timm/vit_tiny" of "models--timm--vit_tiny"; empty for another name.
std::string hubRepository(const std::string& entryName);

/// Whether weights of this name beside a config.json are its model's, though another format of them
/// may lie there too: "pytorch_model.bin".
bool isHubWeightsName(const std::string& name);

/// Whether its name is that of an index of shards: "pytorch_model.bin.index.json".
bool isShardIndex(const std::filesystem::path& file);

/// All shards of the checkpoint that `file` stands for: an index, or one of the shards
/// ("model-00001-of-00002.safetensors") with its index or without. Empty for any other file. Errors:
/// as findHubFolder's for shards that are missing.
Result<std::vector<std::filesystem::path>> findShards(const std::filesystem::path& file);

/// `path`: a folder, a cache entry, or a snapshot in one. Errors: NotFound (no such folder, no
/// config.json, no weights), InvalidFile for what was downloaded in part: links that lead nowhere,
/// a missing ref, shards that are not there; UnsupportedFile for weights that are no regular file
/// or an index that names files elsewhere.
Result<HubFolder> findHubFolder(const std::filesystem::path& path);

}  // namespace headlight
