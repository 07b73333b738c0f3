// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Opening a model from whatever describes it. Torch types: core only.

#include <ATen/core/Tensor.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/checkpoint/Checkpoint.h"
#include "core/models/backbones/Model.h"
#include "core/workbench/loading/ModelInfo.h"

namespace headlight {

struct LoadedModel {
  std::shared_ptr<Model> model;  ///< in evaluation mode, on `device`
  ModelInfo info;
};

/// Throws Failure. Nothing is allocated for a model that its checkpoint does not hold.
LoadedModel loadModel(const ModelSource& source);
/// Random weights from the experiment's seed.
LoadedModel buildModel(const Experiment& experiment, const std::string& device);

/// What a checkpoint says of its model.
struct Description {
  Experiment experiment;
  std::vector<std::string> classNames, classKeys, notes;  ///< as ModelInfo's
  bool inferred = false;  ///< off the names and shapes of its tensors (identifyModel)
};
/// From its metadata, from timm's config.json beside it (Weights.h), or inferred (`heads` as
/// identifyModel's). Throws Failure,
/// also for a model that it does not hold.
Description describe(const Checkpoint& checkpoint, const std::string& where, int heads = 0);
/// For a file; inferred descriptions are explained (requireExplained).
Description describeFile(const std::filesystem::path& path, int heads = 0);
/// For a description that was inferred: throws Failure(UnsupportedFile) with the names of tensors
/// that the model lacks, has besides or has otherwise. Some mechanism that is not known here would
/// be taken for softmax else. A head that nobody knows and what only a training needs are left aside
/// (UnknownParts.h); returns what is to be said of them.
std::vector<std::string> requireExplained(const Model& model, const Checkpoint& checkpoint,
                                          const std::string& where);
/// What a file says of its model, by the names and shapes of its tensors, which are not read.
/// Throws Failure where it cannot be opened, as far as these tell.
Description describeShapes(const std::filesystem::path& path);

/// Throws Failure(InvalidFile) where nothing fits, and where tensors of the model would stay random
/// (LoadReport::unfilled) unless that is wanted.
void requireFit(const LoadReport& report, bool partial, const std::string& where);

/// What `checkpoint` would do to `model`. `fileGrid`: of its position embeddings, where the file
/// itself does not say it. `where`: the file, for errors.
LoadPlan planFor(const Model& model, const Checkpoint& checkpoint,
                 std::optional<Grid> fileGrid = {}, const std::string& where = {});

/// For every layer (Model::softAlphas).
SoftAlphas readSoftAlphas(const Model& model);

}  // namespace headlight
