// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/session/Datasets.h"

namespace headlight {

DatasetSpec makeDatasetSpec(const DataConfig& data, int imageSize, std::int64_t seed) {
  DatasetSpec spec;
  spec.kind = data.dataset;
  spec.path = data.path;
  spec.validationFraction = data.validationFraction;
  spec.fraction = data.fraction;
  spec.maxSamples = data.maxSamples;
  spec.seed = static_cast<std::uint64_t>(seed);
  spec.imageSize = imageSize;
  spec.trainSamples = data.trainSamples;
  spec.validationSamples = data.validationSamples;
  spec.drawnClasses = data.drawnClasses;
  return spec;
}

}  // namespace headlight
