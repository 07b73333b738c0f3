// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A detector without attention, small enough to follow by hand: at strides 8 and 16 each cell says
// a linear function of its own pixels.

#include <ATen/ATen.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>

#include "core/models/backbones/Model.h"
#include "core/training/step/StepRunner.h"
#include "tests/training/detection/DrawnScores.h"

namespace headlight {

inline ModelConfig tinyDetectorConfig() {
  ModelConfig config;
  config.backbone = "tiny";
  config.imageSize = 64;
  config.classes = kDrawnClasses;
  return config;
}

class TinyDetector : public Model {
 public:
  /// `normalized`: the images go through a batch norm first.
  explicit TinyDetector(bool normalized = false)
      : Model(tinyDetectorConfig(), MaskShape(std::vector<int>())) {
    const auto random = holdTorchRandom();
    seedTorch(3);
    if (normalized) norm = register_module("norm", torch::nn::BatchNorm2d(3));
    for (const std::int64_t stride : {8, 16}) {
      const auto options =
          torch::nn::Conv2dOptions(3, kDrawnClasses + 4 * kDrawnBins, stride).stride(stride);
      heads.push_back(register_module("head" + std::to_string(stride), torch::nn::Conv2d(options)));
    }
  }

  Grid grid(int) const override { return {8, 8}; }
  at::Tensor embed(const at::Tensor& images) override {
    return norm ? norm->forward(images) : images;
  }
  at::Tensor block(int, const at::Tensor& tokens, AttentionHook*) override { return tokens; }
  at::Tensor classify(const at::Tensor& tokens) override { return tokens.flatten(1); }
  Attention& attention(int) override {
    throw Failure({ErrorCode::Internal, "it has no attention", ""});
  }
  CellScores findInCells(const at::Tensor& tokens) override {
    std::vector<at::Tensor> logits, sides;
    CellScores scores;
    for (torch::nn::Conv2d& head : heads) {
      const at::Tensor said = head->forward(tokens);
      scores.levels.push_back({head->options.stride()->at(0), said.size(2), said.size(3)});
      const at::Tensor cells = said.flatten(2).transpose(1, 2);
      logits.push_back(cells.narrow(2, 0, kDrawnClasses));
      sides.push_back(cells.narrow(2, kDrawnClasses, 4 * kDrawnBins)
                          .reshape({said.size(0), -1, 4, kDrawnBins}));
    }
    scores.logits = at::cat(logits, 1);
    scores.sides = at::cat(sides, 1);
    return scores;
  }

  torch::nn::BatchNorm2d norm{nullptr};
  std::vector<torch::nn::Conv2d> heads;
};

/// Random images with up to six boxes each; one has none.
inline Batch drawnBatch(std::int64_t images, std::int64_t step) {
  const auto random = holdTorchRandom();
  seedTorch(static_cast<std::uint64_t>(step) + 11);
  Batch batch;
  batch.images = at::randn({images, 3, 64, 64}, at::kDouble);
  batch.labels = at::zeros({images}, at::kLong);
  for (std::int64_t image = 0; image < images; ++image)
    batch.boxes.push_back(
        image == 1 ? LabeledBoxes() : drawnBoxes(6, static_cast<unsigned>(100 * step + image + 1)));
  return batch;
}

/// SGD with momentum, without decay and clipping; `steps` steps after the first one of warm-up.
inline TrainingConfig boxTraining(std::int64_t steps, std::int64_t accumulate = 1) {
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
