#include "core/training/Evaluation.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include <chrono>

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

}  // namespace

at::Tensor mappedLabels(const at::Tensor& labels, const std::vector<std::int64_t>& map) {
  if (map.empty()) return labels;
  const at::Tensor table = at::tensor(at::ArrayRef<std::int64_t>(map), at::kLong);
  return table.index_select(0, labels);
}

std::unique_ptr<Loader> evaluationLoader(std::shared_ptr<const Dataset> dataset,
                                         const Preprocessing& preprocessing, std::int64_t batchSize,
                                         int threads) {
  LoaderOptions options;
  options.batchSize = batchSize;
  options.shuffle = false;
  options.dropLast = false;
  options.threads = threads;
  options.augment.enabled = false;
  options.preprocessing = preprocessing;
  return std::make_unique<Loader>(std::move(dataset), options);
}

Result<EvaluationResult> evaluateModel(Model& model, Loader& loader,
                                       const EvaluationOptions& options,
                                       const ProgressCallback& progress, std::stop_token stop) {
  return guarded("evaluation", [&]() -> Result<EvaluationResult> {
    const at::NoGradGuard noGrad;
    const EvaluationMode mode(model);
    const auto started = std::chrono::steady_clock::now();
    Sums sums(options.device);
    EvaluationResult result;
    RemainingTime remaining;
    remaining.start(0);
    loader.startEpoch(0);
    while (true) {
      auto batch = loader.next(stop);
      if (stop.stop_requested()) return Error{ErrorCode::Canceled, "evaluation was stopped", ""};
      if (!batch) return batch.error();
      if (!batch->has_value()) break;
      const Batch& given = **batch;
      const at::Tensor labels = mappedLabels(given.labels, options.labelMap);
      const at::Tensor logits = model.forward(given.images.to(options.device, true));
      sums.add(logits, labels.to(options.device, true));
      result.images += labels.size(0);
      if (options.afterBatch) options.afterBatch(labels.size(0));
      const std::int64_t done = given.number + 1, total = loader.batchesPerEpoch();
      if (progress) progress({"evaluating", done, total, remaining.secondsRemaining(done, total)});
    }
    if (result.images == 0)
      return Error{ErrorCode::InvalidFile, "no picture of the validation split can be read", ""};
    const auto images = static_cast<double>(result.images);
    result.loss = sums.loss.item<double>() / images;
    result.top1 = static_cast<double>(sums.top1.item<std::int64_t>()) / images;
    result.top5 = static_cast<double>(sums.top5.item<std::int64_t>()) / images;
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
    result.imagesPerSecond = images / std::max(took.count(), 1e-9);
    result.skipped = static_cast<std::int64_t>(loader.skipped().size());
    return result;
  });
}

}  // namespace headlight
