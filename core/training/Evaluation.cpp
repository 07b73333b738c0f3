// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/Evaluation.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include <chrono>

#include "core/base/Translation.h"
#include "core/training/step/EvaluationMode.h"
#include "core/training/step/Loss.h"

namespace headlight {
namespace {

/// Sums on the device: read once, at the end.
struct Sums {
  at::Tensor loss, top1, top5;

  explicit Sums(at::Device device)
      : loss(at::zeros({}, at::TensorOptions(device).dtype(at::kDouble))),
        top1(at::zeros({}, at::TensorOptions(device).dtype(at::kLong))),
        top5(top1.clone()) {}

  void add(const at::Tensor& logits, const at::Tensor& labels) {
    const auto size = static_cast<double>(labels.size(0));
    loss += smoothedCrossEntropy(logits, labels, 0).to(at::kDouble) * size;
    top1 += countTopK(logits, labels, 1);
    top5 += countTopK(logits, labels, 5);
  }
};

/// As numbers. Counts are whole numbers and stay exact.
struct Totals {
  double loss = 0, top1 = 0, top5 = 0, images = 0, skipped = 0;
};

Totals totalOf(const Sums& sums, std::int64_t images, std::size_t skipped, Processes* processes) {
  at::Tensor all =
      at::tensor({sums.loss.item<double>(), sums.top1.item<double>(), sums.top5.item<double>(),
                  static_cast<double>(images), static_cast<double>(skipped)},
                 at::kDouble);
  if (processes) processes->sum(all);
  const double* number = all.data_ptr<double>();
  return {number[0], number[1], number[2], number[3], number[4]};
}

/// What every process has is for the first to count.
bool isCountedHere(const Batch& batch, const Processes* processes) {
  return batch.labels.size(0) > 0 && (batch.sharedCount == 1 || processes->isFirst());
}

at::Tensor logitsOf(Model& model, const at::Tensor& images, const EvaluationOptions& options) {
  const AutocastScope autocast(options.precision, options.device);
  return model.forward(images.to(options.device, true));
}

}  // namespace

at::Tensor mappedLabels(const at::Tensor& labels, const std::vector<std::int64_t>& map) {
  if (map.empty()) return labels;
  const at::Tensor table = at::tensor(at::ArrayRef<std::int64_t>(map), at::kLong);
  return table.index_select(0, labels);
}

std::unique_ptr<Loader> evaluationLoader(std::shared_ptr<const Dataset> dataset,
                                         const Preprocessing& preprocessing, std::int64_t batchSize,
                                         int threads, const Processes* processes) {
  LoaderOptions options;
  options.batchSize = preprocessing.pad ? 1 : batchSize;
  options.shuffle = false;
  options.dropLast = false;
  options.threads = threads;
  options.augment.enabled = false;
  options.preprocessing = preprocessing;
  takePart(options, processes);
  return std::make_unique<Loader>(std::move(dataset), options);
}

void evaluateBatches(SharedBatches& batches, const ProgressCallback& progress, std::stop_token stop,
                     const std::function<void(const Batch& batch)>& evaluate) {
  RemainingTime remaining;
  remaining.start(0);
  batches.startEpoch(0);
  while (true) {
    auto batch = batches.next(stop);
    if (!batch && batch.error().code == ErrorCode::Canceled)
      throw Failure({ErrorCode::Canceled, tr("evaluation was stopped"), ""});
    const auto given = valueOrThrow(std::move(batch));
    if (!given) return;
    evaluate(*given);
    const std::int64_t done = given->number + 1, total = batches.perEpoch();
    if (progress) progress({"evaluating", done, total, remaining.secondsRemaining(done, total)});
  }
}

Result<EvaluationResult> evaluateModel(Model& model, SharedBatches& batches,
                                       const EvaluationOptions& options,
                                       const ProgressCallback& progress, std::stop_token stop) {
  return guarded("evaluation", [&]() -> Result<EvaluationResult> {
    const at::NoGradGuard noGrad;
    const EvaluationMode mode(model);
    const auto started = std::chrono::steady_clock::now();
    Sums sums(options.device);
    EvaluationResult result;
    evaluateBatches(batches, progress, stop, [&](const Batch& given) {
      if (!isCountedHere(given, batches.processes())) return;
      const at::Tensor labels = mappedLabels(given.labels, options.labelMap);
      const at::Tensor logits = logitsOf(model, given.images, options);
      sums.add(logits, labels.to(options.device, true));
      result.images += labels.size(0);
      if (options.afterBatch) options.afterBatch(labels.size(0));
    });
    const Totals all =
        totalOf(sums, result.images, batches.loader().skipped().size(), batches.processes());
    if (all.images == 0)
      return Error{ErrorCode::InvalidFile, tr("no image of the validation split can be read"), ""};
    result.images = static_cast<std::int64_t>(all.images);
    result.loss = all.loss / all.images;
    result.top1 = all.top1 / all.images;
    result.top5 = all.top5 / all.images;
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
    result.imagesPerSecond = all.images / std::max(took.count(), 1e-9);
    result.skipped = static_cast<std::int64_t>(all.skipped);
    return result;
  });
}

}  // namespace headlight
