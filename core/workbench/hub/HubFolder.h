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

  std::filesystem::path config() const { return folder / "config.json"; }
  /// The one file; of shards the folder.
  std::filesystem::path weightsPath() const {
    return weights.size() == 1 ? weights.front() : folder;
  }
  /// Of all weights; 0 for what cannot be asked.
  std::uint64_t bytes() const;
};

/// Whether a folder calls itself one: a cache entry (models--…), or config.json beside weights by
/// the names that timm looks for. A training run's folder is none.
bool looksLikeHubFolder(const std::filesystem::path& path);

/// Whether a file is the config.json of timm's in such a folder: naming it is naming the folder.
bool isHubConfig(const std::filesystem::path& path);

/// "timm/vit_tiny" of "models--timm--vit_tiny"; empty for another name.
std::string hubRepository(const std::string& entryName);

/// `path`: a folder, a cache entry, or a snapshot in one. Errors: NotFound (no such folder, no
/// config.json, no weights), InvalidFile for what was downloaded in part: links that lead nowhere,
/// a missing ref, shards that are not there; UnsupportedFile for weights that are no regular file
/// or an index that names files elsewhere.
Result<HubFolder> findHubFolder(const std::filesystem::path& path);

}  // namespace headlight
