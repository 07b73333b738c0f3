// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How fast attention, blocks, models and edits run on this machine, kernel beside kernel. No torch
// type here.

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/Progress.h"
#include "core/base/Result.h"
#include "core/config/Experiment.h"

namespace headlight {

struct BenchRow {
  std::string what;    ///< "attention", "block", "model" or "edit"
  std::string name;    ///< of the model; "layer 3" of an edit; of attention, what ran
  std::string kernel;  ///< "linear", "dense", "library"; "masked", "unmasked"
  std::int64_t tokens = 0;
  std::int64_t batch = 1;
  double forwardMs = 0;   ///< median, without gradients
  double backwardMs = 0;  ///< median of the backward pass alone; 0: not measured
  /// Most memory that a forward and backward pass held beyond what was there before, in bytes: of
  /// the process on the CPU, 0 where the system does not tell (PeakMemory.h); of tensors on a GPU.
  std::int64_t peakBytes = 0;
  std::string device = {};  ///< "cpu", "cuda:0"
  std::string precision = "float32";
};

/// A model to measure, and the masks that it has.
struct BenchedModel {
  ModelConfig config;
  MaskConfig masks;
};

/// What a whole model is measured as.
struct BenchSubject {
  std::string name;  ///< "deit_tiny", "deit_tiny, aft_full"
  BenchedModel model;
};

struct BenchOptions {
  std::string device = "auto";  ///< as of an Experiment
  int threads = 0;              ///< 0: as many as cores
  int repeats = 5;              ///< of which the median is taken; kernels take turns
  int heads = 3;                ///< attention and block
  int headWidth = 64;           ///< attention
  int window = 3;               ///< R of the hard masks
  std::int64_t batch = 1;       ///< images at a time; an edit is always of one
  /// For models: each of these in place of `batch`; empty: that alone.
  std::vector<std::int64_t> batches = {};
  /// Sides of the square grids of `attention`: tokens are their squares.
  std::vector<int> sides{14, 28, 56, 112};
  /// Dense attention is left out above so many tokens: T × T floats a head and image.
  std::int64_t denseTokens = 12544;
  /// Beside the other forms of `attention` also LibTorch's own. It knows no logits of 0:
  /// outside its mask they are −∞.
  bool library = false;
  /// Published names, configs, or checkpoints that carry their Experiment; of edits and models.
  std::vector<std::string> models{"deit_tiny"};
  /// For models, before those: as they are, which the window has open.
  std::vector<BenchSubject> given = {};
  /// For blocks and models: each of these in place of their own; empty: as they are.
  std::vector<std::string> mechanisms = {};
  /// For models: beside each the same with blocks that are computed again in the backward pass.
  bool recomputing = false;
  /// For blocks, models and steps: each in these, as training.precision spells them.
  std::vector<std::string> precisions{"float32"};
};

/// By published name, or from a config or a checkpoint. Throws Failure (NotFound, and what is wrong
/// with the file).
BenchedModel benchedModel(const std::string& nameOrFile);

/// `given` and `models`, each in its own mechanism or in each of `mechanisms`, without its masks
/// where that is another. Throws Failure as benchedModel(), and for a mechanism that the model's
/// backbone does not take.
std::vector<BenchSubject> benchSubjects(const BenchOptions& options);
/// Counts passes, of `total` in all.
class BenchProgress {
 public:
  BenchProgress(const ProgressCallback& report, std::int64_t total)
      : m_report(report), m_total(total) {}
  void step(const std::string& what);

 private:
  const ProgressCallback& m_report;
  std::int64_t m_total, m_done = 0;
  RemainingTime m_remaining;
};
/// Throws Failure(InvalidConfig) at `place` for a model that computes features alone.
void requireLearning(const std::string& name, const ModelConfig& config, const std::string& place);
/// `batches`, or `batch` alone. Throws Failure(InvalidArgument) for one below 1.
std::vector<std::int64_t> benchBatches(const BenchOptions& options);

using BenchSink = std::function<void(const BenchRow&)>;

/// Hard-masked attention alone, linear beside dense, for every side. Rows go to `sink` as they are
/// measured. Errors: Canceled, InvalidConfig (no such device, or a precision that it does not
/// have), InvalidArgument (`library` and LibTorch has none).
Result<void> benchAttention(const BenchOptions& options, const BenchSink& sink,
                            std::stop_token stop);
/// A block of the first stage of H-MaiT-T (56 × 56 patches), masked (where its mechanism can be)
/// beside unmasked.
Result<void> benchBlock(const BenchOptions& options, const BenchSink& sink, std::stop_token stop);
/// Whole models on a batch, inference and a training step's forward and backward; under their own
/// masks, or with another mechanism under none. Errors besides: NotFound, and what is wrong with a
/// model's config. `progress` counts passes.
Result<void> benchModels(const BenchOptions& options, const BenchSink& sink, std::stop_token stop,
                         const ProgressCallback& progress = {});
/// From one head's mask to the new prediction and maps, for every layer of every model.
Result<void> benchEdits(const BenchOptions& options, const BenchSink& sink, std::stop_token stop);

/// The exponent e of time ~ tokens^e by least squares over the rows of one kernel; NaN for fewer
/// than two. `backward`: of forward plus backward.
double growthExponent(const std::vector<BenchRow>& rows, const std::string& kernel, bool backward);

}  // namespace headlight
