// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/RebuildEvaluation.h"

#include <ATen/Functions.h>

#include "core/models/backbones/MaskedAutoencoder.h"
#include "core/models/pretraining/KeptPatches.h"
#include "core/models/pretraining/PixelPatches.h"
#include "core/training/EvaluationPass.h"

namespace headlight {
namespace {

class RebuildEvaluation {
 public:
  RebuildEvaluation(MaskedAutoencoder& model, SharedBatches& batches,
                    const EvaluationOptions& options)
      : m_model(model), m_batches(batches), m_options(options) {}

  void add(const Batch& batch) {
    const at::Tensor images = batch.images.to(m_options.device, true);
    const at::Tensor losses = lossesOf(images, keptBy(batch).to(m_options.device));
    m_numbers[0] += losses.to(at::kCPU, at::kDouble).sum();
    m_numbers[1] += static_cast<double>(batch.images.size(0));
  }

  EvaluationResult result() {
    m_numbers[2] += static_cast<double>(m_batches.loader().skipped().size());
    if (m_batches.processes()) m_batches.processes()->sum(m_numbers);
    EvaluationResult result;
    result.images = static_cast<std::int64_t>(number(1));
    requireReadImages(result.images);
    result.skipped = static_cast<std::int64_t>(number(2));
    result.loss = number(0) / number(1);
    result.rebuilt = rebuildQuality(result.loss);
    return result;
  }

 private:
  double number(std::int64_t place) const { return m_numbers[place].item<double>(); }

  at::Tensor keptBy(const Batch& batch) const {
    std::vector<std::uint64_t> keys;
    for (std::int64_t row = 0; row < batch.images.size(0); ++row)
      keys.push_back(evaluationKey(placeInDataset(batch, row, m_batches)));
    const std::int64_t patches = m_model.grid(0).patches();
    return keptPatches(patches, keptCount(patches, m_model.layout().maskRatio), keys);
  }

  at::Tensor lossesOf(const at::Tensor& images, const at::Tensor& kept) {
    const AutocastScope autocast(m_options.precision, m_options.device);
    const at::Tensor predicted = m_model.rebuild(images, kept);
    return rebuildLosses(predicted, images, kept, m_model.config().patchSize,
                         m_model.layout().normalizedTargets);
  }

  MaskedAutoencoder& m_model;
  SharedBatches& m_batches;
  const EvaluationOptions& m_options;
  at::Tensor m_numbers = at::zeros({3}, at::kDouble);  ///< losses, images, skipped
};

}  // namespace

Result<EvaluationResult> evaluateRebuilding(Model& model, SharedBatches& batches,
                                            const EvaluationOptions& options,
                                            const ProgressCallback& progress,
                                            std::stop_token stop) {
  return evaluateInOnePass(model, batches, options, progress, stop, [&] {
    return RebuildEvaluation(autoencoderIn(model), batches, options);
  });
}

}  // namespace headlight
