// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which model to open, and what is known of it once it is open. No torch type here.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/Result.h"
#include "core/checkpoint/LoadReport.h"
#include "core/config/Experiment.h"
#include "core/workbench/classes/ClassNames.h"
#include "core/workbench/loading/Input.h"
#include "core/workbench/loading/SoftAlphas.h"
#include "core/workbench/prompts/Prompts.h"
#include "core/workbench/prompts/TextSide.h"

namespace headlight {

/// Which model to open.
struct ModelSource {
  /// A published name, a config file, a folder of the Hugging Face hub (HubFolder.h), or a
  /// checkpoint whose metadata carries its Experiment. May be empty when `weights` is one of the
  /// last two.
  std::string model;
  std::filesystem::path weights;  ///< empty: as `model` says, or random weights from the seed
  std::string take;  ///< which model of `weights` (LoadReport::choices); empty: the likeliest
  int heads = 0;     ///< of a ViT whose file states none (identifyModel); 0: assumed as others have
  /// Of images: "white" or "drop", as ModelConfig's; empty: as the model says.
  std::string transparency;
  std::filesystem::path classNames;  ///< a file of them (readClassNames); empty: the model's own
  /// Its classes, where the weights have a text tower beside them (ModelInfo::textSide); empty: as
  /// the model says.
  Prompts prompts;
  /// For the images it looks at, in pixels; 0: as the model says. Position embeddings and tables
  /// are resampled as timm does (LoadReport::resized).
  int imageHeight = 0, imageWidth = 0;
  std::string device = "auto";
  int threads = 0;
  std::int64_t seed = 0;
  /// Weights that are missing or of another shape (LoadReport::unfilled) stay random; else they are
  /// an error.
  bool partial = false;
};

struct ModelInfo {
  Experiment experiment;  ///< resolved: model, masks and the rest as its checkpoint or config said
  std::vector<std::string> classNames;  ///< may be empty
  /// What datasets call the classes, where classNames are other words for people; else empty.
  std::vector<std::string> classKeys;
  /// Of what a detector finds (ModelConfig's layout.object_classes), without "no object"; may be
  /// empty.
  std::vector<std::string> objectNames;
  ClassNamesFrom classNamesFrom = ClassNamesFrom::Nowhere;
  TextSide textSide;       ///< of the folder that the weights lie in
  Prompts prompts;         ///< that are the classes; empty: none
  std::vector<int> heads;  ///< per layer
  Grid grid;
  std::string mapMeaning;
  bool mapIsSigned = false;
  bool mapRowsSumToOne = true;
  SoftAlphas alphas;  ///< of the weights as they were loaded, under the experiment's masks
  std::int64_t parameters = 0;
  std::string device;             ///< "cpu", "cuda:0"
  std::filesystem::path weights;  ///< empty: random
  std::string weightsName;        ///< as people read it (WeightsName.h); empty: random
  bool randomWeights = false;
  LoadReport report;
  std::vector<std::string> notes;  ///< of the checkpoint's reader
  /// For a map file (MapFile.h), which has no model: whatever needs a model is refused with an
  /// error.
  bool isPrecomputed = false;
  int images = 0;  ///< of such a file
};

/// In words, for people: "ImageNet-1k's, assumed: the file has none"; empty where there is nothing
/// to be said of it.
std::string classNamesText(const ModelInfo& info);

/// The Experiment inside a config, a checkpoint or a folder of the hub, without loading a model.
Result<Experiment> loadExperiment(const Input& input, int heads = 0);
/// `heads` as ModelSource's.
Result<Experiment> loadExperiment(const std::filesystem::path& path, int heads = 0);

/// Throws Failure(InvalidArgument) for a model without attention layers, such as LCNet.
void requireAttention(const ModelInfo& info);

}  // namespace headlight
