// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A segmenter without attention, small enough to follow by hand: of two predictions each says of a
// query's mask a linear function of 4 × 4 pixels, and of its class one of the means of four quarters.

#include <ATen/ATen.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include "core/imaging/ClassImage.h"
#include "core/models/backbones/Model.h"
#include "core/training/step/StepRunner.h"

namespace headlight {

inline constexpr std::int64_t kTinyClasses = 4, kTinyQueries = 5, kTinySide = 32,
                              kTinyFeatures = 12;

inline ModelConfig tinySegmenterConfig() {
  ModelConfig config;
  config.backbone = "tiny";
  config.imageSize = kTinySide;
  config.classes = kTinyClasses;
  return config;
}

class TinySegmenter : public Model {
 public:
  explicit TinySegmenter(const ModelConfig& config = tinySegmenterConfig())
      : Model(config, MaskShape(std::vector<int>())) {
    const auto random = holdTorchRandom();
    seedTorch(3);
    for (const char* name : {"first", "last"}) {
      const auto options = torch::nn::Conv2dOptions(3, kTinyQueries, 4).stride(4);
      masks.push_back(register_module(std::string(name) + "_masks", torch::nn::Conv2d(options)));
      classes.push_back(
          register_module(std::string(name) + "_classes",
                          torch::nn::Linear(kTinyFeatures, kTinyQueries * (kTinyClasses + 1))));
    }
  }

  Grid grid(int) const override { return {8, 8}; }
  at::Tensor embed(const at::Tensor& images) override { return images; }
  at::Tensor block(int, const at::Tensor& tokens, AttentionHook*) override { return tokens; }
  at::Tensor classify(const at::Tensor& tokens) override { return tokens.flatten(1); }
  Attention& attention(int) override {
    throw Failure({ErrorCode::Internal, "it has no attention", ""});
  }
  SegmentScores findSegments(const at::Tensor& images) override {
    SegmentScores scores;
    for (std::size_t i = 0; i < masks.size(); ++i) {
      scores.classes.push_back(
          classes[i]->forward(features(images)).view({-1, kTinyQueries, kTinyClasses + 1}));
      scores.masks.push_back(masks[i]->forward(images));
    }
    return scores;
  }
  /// [B, 12]
  static at::Tensor features(const at::Tensor& images) {
    return at::adaptive_avg_pool2d(images, {2, 2}).flatten(1);
  }

  std::vector<torch::nn::Conv2d> masks;
  std::vector<torch::nn::Linear> classes;
};

inline std::shared_ptr<TinySegmenter> tinySegmenter(at::ScalarType type) {
  auto model = std::make_shared<TinySegmenter>();
  model->to(type);
  model->train();
  return model;
}

/// [B, 32, 32]: squares of 8 pixels of random classes, some unknown; of image 1 nothing is known.
inline at::Tensor drawnSegments(std::int64_t images) {
  at::Tensor squares = at::randint(kTinyClasses + 1, {images, 4, 4}, at::kLong);
  squares.masked_fill_(squares == kTinyClasses, kIgnoredClass);
  if (images > 1) squares[1].fill_(kIgnoredClass);
  return squares.repeat_interleave(8, 1).repeat_interleave(8, 2).to(at::kByte);
}

/// Random images in which a class changes the mean of its pixels.
inline Batch segmentBatch(std::int64_t images, std::int64_t step) {
  const auto random = holdTorchRandom();
  seedTorch(static_cast<std::uint64_t>(step) + 11);
  Batch batch;
  batch.segments = drawnSegments(images);
  batch.images = at::randn({images, 3, kTinySide, kTinySide}, at::kDouble) +
                 batch.segments.to(at::kDouble).clamp_max(5).unsqueeze(1) / 2;
  batch.labels = at::zeros({images}, at::kLong);
  return batch;
}

/// SGD with momentum, without decay and clipping.
inline TrainingConfig segmentTraining(std::int64_t steps, std::int64_t accumulate = 1) {
  TrainingConfig config;
  config.optimizer = "sgd";
  config.schedule = "constant";
  config.learningRate = 0.02;
  config.warmupEpochs = 0;
  config.epochs = steps;
  config.weightDecay = 0;
  config.clipGradient = 0;
  config.labelSmoothing = 0;
  config.accumulate = accumulate;
  return config;
}

}  // namespace headlight
