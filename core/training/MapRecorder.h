// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What is recorded of a model at a telemetry point, beside the numbers that HeadProbe measures in
// the same pass: compact maps of a few images, their rollout, what is predicted of them, and what
// mechanisms learned for all images alike.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "core/attention/base/AttentionHook.h"
#include "core/base/Result.h"
#include "core/data/Dataset.h"
#include "core/imaging/Preprocess.h"
#include "core/models/backbones/Model.h"
#include "core/training/evolution/EvolutionTypes.h"
#include "core/training/logs/TrainingTypes.h"

namespace headlight {

/// The first so many of the measured images are recorded.
inline constexpr std::int64_t kRecordedImages = 4;
/// For models whose maps have at most so many values an image, all rows are kept. For others, that
/// of the class token (without one: the mean of all patch rows) and those of 3 × 3 patches spread
/// over the grid.
inline constexpr std::int64_t kWholeMapValues = 64 << 10;
/// A rollout needs the maps of all layers at once; of models for which these take more it is not
/// recorded.
inline constexpr std::int64_t kMostRolloutBytes = 256 << 20;

/// The rows that are kept of a layer, as tokens of that layer or kMeanOfPatches.
std::vector<int> recordedQueries(const Model& model, int layer);

/// Draws no random number and changes nothing in the model. What goes wrong with a map (too little
/// memory, say) is for point() to say: a run does not end by it.
class MapRecorder : public AttentionHook {
 public:
  MapRecorder(const Model& model, std::int64_t images) : m_model(model), m_images(images) {}

  bool wants(int /*layer*/) const override { return true; }
  void take(int layer, const at::Tensor& map) override;

  /// For the pass that comes next, the first so many images are recorded: at first `images`, until
  /// that many were.
  void beginPass(std::int64_t images);
  /// The logits of that pass: [B, classes].
  void predict(const at::Tensor& logits);
  /// All of it, once every image has passed. Throws Failure.
  EvolutionPoint point() const;
  /// The layers as they are kept, once a pass was taken.
  std::vector<EvolutionLayer> layers() const;

  /// Whether anything of this pass is recorded.
  bool isRecording() const { return m_inPass > 0; }

 private:
  struct Layer {
    int heads = 0;
    std::vector<at::Tensor> codes, scales;  ///< [pass] of [B, H, R, T] bytes and [B, H, R]
    std::vector<at::Tensor> fused;          ///< [pass] of [B, T, T], on the CPU: the mean of heads
  };
  void keep(int layer, const at::Tensor& map);
  std::int64_t missing() const { return m_images - m_passed; }
  bool keepsRollout() const;
  QuantizedRows rolloutRows() const;
  std::vector<EvolutionTensor> learnedTensors() const;

  const Model& m_model;
  std::int64_t m_images = 0, m_passed = 0, m_inPass = 0;
  std::vector<Layer> m_layers;
  std::vector<at::Tensor> m_logits;
  std::optional<Error> m_problem;
};

}  // namespace headlight
