// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The loop that validation, and `evaluate`, run over a dataset.

#include <c10/core/Device.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

#include "core/base/Progress.h"
#include "core/base/Result.h"
#include "core/data/Loader.h"
#include "core/models/backbones/Model.h"
#include "core/models/layers/Precision.h"
#include "core/training/SharedBatches.h"
#include "core/training/logs/TrainingTypes.h"

namespace headlight {

struct EvaluationOptions {
  at::Device device = at::kCPU;
  Precision precision = Precision::Float32;  ///< of the forward passes; losses are float32
  /// From a label of the dataset to the model's class; empty: they are the same.
  std::vector<std::int64_t> labelMap;
  /// Called after the forward pass of every batch, with its number of images: what the model then
  /// has to say of that pass (Model::readings) can be gathered.
  std::function<void(std::int64_t images)> afterBatch;
};

/// Labels [B] of a dataset as classes of the model (EvaluationOptions::labelMap).
at::Tensor mappedLabels(const at::Tensor& labels, const std::vector<std::int64_t>& map);

/// A loader for evaluation: in order, every sample, no augmentation; one at a time where images keep
/// their proportions (Preprocessing::pad). With `processes` the part of
/// every batch that is this one's.
std::unique_ptr<Loader> evaluationLoader(std::shared_ptr<const Dataset> dataset,
                                         const Preprocessing& preprocessing, std::int64_t batchSize,
                                         int threads, const Processes* processes = nullptr);

/// Hands every batch of one pass to `evaluate`. Throws Failure: Canceled, errors of the batches and
/// what `evaluate` throws.
void evaluateBatches(SharedBatches& batches, const ProgressCallback& progress, std::stop_token stop,
                     const std::function<void(const Batch& batch)>& evaluate);

/// Loss (cross-entropy without smoothing), top-1 and top-5 over one pass of `batches`, the model in
/// evaluation mode and put back afterwards. Draws no random number. Of several processes each
/// counts its rows, every image once, and all get the result of the whole. Errors: Canceled, those
/// of the batches.
Result<EvaluationResult> evaluateModel(Model& model, SharedBatches& batches,
                                       const EvaluationOptions& options,
                                       const ProgressCallback& progress = {},
                                       std::stop_token stop = {});

}  // namespace headlight
