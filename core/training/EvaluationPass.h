// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What measuring boxes, segments and rebuilt images have in common: one pass over a dataset.

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <stop_token>

#include "core/base/Progress.h"
#include "core/base/Result.h"
#include "core/training/Evaluation.h"
#include "core/training/step/EvaluationMode.h"

namespace headlight {

/// Whether there are images in `batch` that this process has to count: of what every process has,
/// the first does.
bool countsHere(const Batch& batch, const SharedBatches& batches);

/// The place in the dataset of the image in a row of a batch: an evaluation keeps its order.
std::int64_t placeInDataset(const Batch& batch, std::int64_t row, const SharedBatches& batches);

/// Throws Failure(InvalidFile) for `images` of 0.
void requireReadImages(std::int64_t images);

/// One pass of `batches` without gradients, the model in evaluation mode and put back afterwards.
/// `begin()` makes what measures: every batch that counts here is given to its add(batch); its
/// result() has `images`, those of all processes, and gets `imagesPerSecond` here. Errors: Canceled,
/// those of the batches and what `begin`, add and result throw.
template <typename Begin>
auto evaluateInOnePass(Model& model, SharedBatches& batches, const EvaluationOptions& options,
                       const ProgressCallback& progress, std::stop_token stop, const Begin& begin) {
  using Found = decltype(begin().result());
  return guarded("evaluation", [&]() -> Result<Found> {
    const at::NoGradGuard noGrad;
    const EvaluationMode mode(model);
    const auto started = std::chrono::steady_clock::now();
    auto evaluation = begin();
    evaluateBatches(batches, progress, stop, [&](const Batch& batch) {
      if (!countsHere(batch, batches)) return;
      evaluation.add(batch);
      if (options.afterBatch) options.afterBatch(batch.images.size(0));
    });
    Found found = evaluation.result();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
    found.imagesPerSecond = static_cast<double>(found.images) / std::max(took.count(), 1e-9);
    return found;
  });
}

}  // namespace headlight
