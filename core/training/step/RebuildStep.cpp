// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/step/RebuildStep.h"

#include <ATen/Functions.h>

#include "core/attention/base/MicroBatch.h"
#include "core/models/backbones/MaskedAutoencoder.h"
#include "core/models/pretraining/KeptPatches.h"
#include "core/models/pretraining/PixelPatches.h"

namespace headlight {

RebuildStep::RebuildStep(const StepInputs& inputs)
    : m_model(autoencoderIn(inputs.model)),
      m_images(inputs.batch.images),
      m_precision(precisionFromConfig(inputs.config.precision)),
      m_seed(inputs.seed) {}

at::Tensor RebuildStep::keptBy(const BatchPart& part) const {
  std::vector<std::uint64_t> keys;
  for (std::int64_t i = 0; i < part.count; ++i) {
    const auto& rows = batchPart().rows;
    const std::int64_t row = rows.empty() ? part.first + i : rows[static_cast<std::size_t>(i)];
    keys.push_back(trainingKey(m_seed.seed, m_seed.step, row));
  }
  const std::int64_t patches = m_model.grid(0).patches();
  return keptPatches(patches, keptCount(patches, m_model.layout().maskRatio), keys);
}

StepLosses RebuildStep::losses(const BatchPart& part) {
  const at::Tensor images = m_images.narrow(0, part.first, part.count);
  const at::Tensor kept = keptBy(part).to(images.device());
  const at::Tensor predicted = [&] {
    const AutocastScope autocast(m_precision, images.device());
    return m_model.rebuild(images, kept);
  }();
  StepLosses losses;
  losses.total = rebuildLosses(predicted, images, kept, m_model.config().patchSize,
                               m_model.layout().normalizedTargets)
                     .mean();
  losses.addAuxiliary(m_model);
  return losses;
}

}  // namespace headlight
