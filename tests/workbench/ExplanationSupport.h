// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Small models and images for tests of explanations.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <memory>

#include "core/models/Registry.h"
#include "core/workbench/attribution/Explanations.h"
#include "core/workbench/loading/LoadedModel.h"
#include "core/workbench/session/ModelAccess.h"
#include "tests/models/Shrunk.h"
#include "tests/models/StirNorms.h"
#include "tests/models/detection/DetectorSupport.h"

namespace headlight {

/// With weights that make every token matter.
inline std::unique_ptr<InferenceSession> explanationSession(const ModelConfig& config,
                                                            int seed = 3) {
  Experiment experiment;
  experiment.model = config;
  experiment.device = "cpu";
  experiment.threads = 1;
  auto session = valueOrThrow(InferenceSession::create(experiment));
  withModel(*session, [&](Model& model) {
    at::manual_seed(seed);
    stirNorms(model);
    for (const auto& [name, tensor] : model.trainable())
      if (tensor.dim() > 1 && name.find("learned_mask") == std::string::npos)
        at::Tensor(tensor).normal_(0, 0.2);
    if (isDetectorsNetwork(config))
      settleNorms(model, noise(4, config.imageHeightPixels(), config.imageWidthPixels()));
  });
  return session;
}

inline ModelConfig microVit() {
  ModelConfig config = shrunk(findPublishedModel("deit_tiny")->config);
  config.imageSize = 24;  // 3 × 3 patches
  return config;
}

inline RawImages explanationImage(const ModelConfig& config, int seed = 5) {
  at::manual_seed(seed);
  const at::Tensor noise = at::randn({3, config.imageHeightPixels(), config.imageWidthPixels()});
  return {1,
          config.imageHeightPixels(),
          config.imageWidthPixels(),
          {noise.data_ptr<float>(), noise.data_ptr<float>() + noise.numel()}};
}

inline at::Tensor explanationTensor(const RawImages& image) {
  return at::from_blob(const_cast<float*>(image.values.data()), {1, 3, image.height, image.width},
                       at::kFloat)
      .clone();
}

inline MaskScheme explanationMasks(const InferenceSession& session) {
  return MaskScheme(makeMaskShape(session.info().experiment.model));
}

/// The largest distance of two lists, in shares of the largest value.
inline double wayDistance(const std::vector<float>& a, const at::Tensor& b) {
  EXPECT_EQ(static_cast<std::int64_t>(a.size()), b.numel());
  const at::Tensor flat = b.to(at::kDouble).flatten().contiguous();
  double most = 0, scale = 1e-30;
  for (std::size_t i = 0; i < a.size() && static_cast<std::int64_t>(i) < flat.numel(); ++i) {
    most = std::max(most, std::abs(a[i] - flat.data_ptr<double>()[i]));
    scale = std::max(scale, std::abs(flat.data_ptr<double>()[i]));
  }
  return most / scale;
}

}  // namespace headlight
