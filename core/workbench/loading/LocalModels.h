// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The models that lie on this computer: in the Hugging Face hub's cache, in torch hub's, and in
// folders that the person has chosen. Only names, sizes and headers are looked at; no weights are
// read. No torch type here.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/Result.h"

namespace headlight {

struct ModelSource;  ///< ModelInfo.h

/// Where models are looked for. Empty paths are passed over, missing ones are as empty ones.
struct LocalPlaces {
  std::filesystem::path hub;    ///< with models--ORG--NAME folders
  std::filesystem::path torch;  ///< with .pth files
  std::vector<std::filesystem::path> folders;

  /// HF_HUB_CACHE, else HF_HOME/hub, else ~/.cache/huggingface/hub; TORCH_HOME/hub/checkpoints,
  /// else
  /// ~/.cache/torch/hub/checkpoints; and the folders that are kept (ModelFolders.h).
  static LocalPlaces ofThisComputer();
};

struct LocalModel {
  enum class Source { Hub, TorchHub, Folder };

  std::string name;            ///< "timm/vit_tiny_patch16_224.augreg_in21k", or a file's
  std::string architecture;    ///< timm's name; empty where nothing tells it
  std::string tag, license;    ///< empty likewise
  std::uint64_t bytes = 0;     ///< of its weights; of an incomplete one, of what there is
  std::filesystem::path path;  ///< what --model takes
  Source source = Source::Folder;
  bool complete = true;  ///< else it was downloaded in part
  std::string problem;   ///< why this program cannot open it, in words; empty: it can, as far as
                         ///< can be told without reading its weights

  bool canOpen() const { return problem.empty(); }
};
/// "Hugging Face", "torch hub", "folder".
const char* toText(LocalModel::Source source);

/// How it is opened: by its folder, which says what it is; a file by itself, or, of torch hub,
/// whose names are those of models, as the model of its name.
ModelSource makeModelSource(const LocalModel& model);

/// Whether every word of `search`, upper or lower case, is in its name, architecture, tag or
/// source.
bool isFoundBy(const LocalModel& model, const std::string& search);

/// At most so many entries of one folder are looked at, and folders so deep below a chosen one.
inline constexpr int kMostLocalEntries = 20'000;
inline constexpr int kDeepestLocal = 3;

/// Calls `found` for one after the other, place by place, by name in each; links to folders are not
/// followed but for those that were chosen themselves. Ends early where `stop` is asked for.
/// Blocks. Returns how many entries were left out of folders that have too many.
std::size_t findLocalModels(const LocalPlaces& places, const std::function<void(LocalModel)>& found,
                            const std::stop_token& stop = {});

}  // namespace headlight
