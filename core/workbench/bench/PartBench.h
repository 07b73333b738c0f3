// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What share of a forward pass and of a training step each part of a model takes (Castling-ViT, §1:
// the share of attention). What counts as which part: ModelPart.h. No torch type here.

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/workbench/bench/Bench.h"
#include "core/workbench/bench/PartTimes.h"

namespace headlight {

struct PartReport {
  std::string name;  ///< of the model and, where one was chosen, its mechanism
  std::string masks, device, precision;
  std::int64_t tokens = 0, batch = 0;
  PartTimes times;           ///< seconds
  double inferenceMs = 0;    ///< of the whole pass, by a clock of its own: the parts add up to it
  double stepMs = 0;         ///< the same of a training step: forward, backward and update
  std::string kernels = {};  ///< of the attention, each once (Attention::kernelText)

  double inferenceMsOf(ModelPart part) const { return 1e3 * times.at(ModelPass::Inference, part); }
  double stepMsOf(ModelPart part) const;
  /// In [0, 1]: of the attention's projections, scores and values, of the sum over all parts.
  double attentionInInference() const;
  double attentionInStep() const;
};

using PartSink = std::function<void(const PartReport&)>;

/// For each of benchSubjects(), batch and precision: the pass without gradients and the training
/// step (loss, AdamW, as `bench step`) whose time is the median of options.repeats, after one that
/// warms up. Detectors find boxes and segmenters segments, and learn those of drawn scenes
/// (DrawnBatch.h). Errors: those of benchModels(), and InvalidConfig for a model without classes
/// that is no masked autoencoder.
Result<void> benchParts(const BenchOptions& options, const PartSink& sink, std::stop_token stop,
                        const ProgressCallback& progress = {});

}  // namespace headlight
