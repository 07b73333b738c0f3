// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What travels with weights in a safetensors file's metadata, and which tensors of a file are
// weights.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/checkpoint/Checkpoint.h"
#include "core/config/Experiment.h"
#include "core/masks/LearnedAlpha.h"

namespace headlight {

/// `last.safetensors` of a run holds weights in timm's names beside these; nothing else does.
inline constexpr const char* kOptimizerPrefix = "optimizer.";
inline constexpr const char* kAveragePrefix = "ema.";

/// One entry of a file's metadata as JSON. Throws Failure(InvalidFile) that names the key.
Json metadataJson(const std::string& text, const std::string& key, const std::string& where);

/// The weights alone: everything but the optimizer and the moving average of a training checkpoint,
/// with LoRA in its layers (mergedLowRank).
NamedTensors weightsOf(const NamedTensors& tensors);
Checkpoint weightsOf(Checkpoint checkpoint);

/// To be asked before a model is made of what a file says of itself: its config or the shapes of
/// its tensors may lie. Throws Failure(InvalidFile) where `model` has more than twice as many
/// parameters as `weights` have numbers, and more than a million besides. `resized`: the file's
/// position embeddings may be of another grid, so that the model's do not count.
void requireHeld(const ModelConfig& model, const NamedTensors& weights, const std::string& where,
                 bool resized = false);

/// Under this key the metadata of a sequence model have its experiment.
inline constexpr const char* kSequenceKey = "sequence_experiment";
/// Throws Failure(UnsupportedFile) where a checkpoint's metadata are a sequence model's: for those
/// who expect an image classifier.
void refuseSequenceModel(const std::map<std::string, std::string>& metadata,
                         const std::string& where);

struct ModelMetadata {
  /// `masks` is the scheme in force when the weights were saved, and there are no edits.
  Experiment experiment;
  std::vector<std::string> classNames;  ///< may be empty
};

/// Keys: format ("pt"), experiment (the run, as JSON), masks (the scheme in force, as a config's
/// `masks` section), class_names (JSON list), preprocessing (JSON object: what timm calls
/// input_size, crop_pct, interpolation, mean, std), of weights from within a run progress
/// (Model::progress()), and where heads learned an α learned_alpha (JSON list of {layer, head,
/// mask, and of one that was set aside logit}).
std::map<std::string, std::string> modelMetadata(const Experiment& run, const MaskScheme& inForce,
                                                 const std::vector<std::string>& classNames,
                                                 double progress = 1,
                                                 const std::vector<LearnedAlpha>& learned = {});

/// What heads learned of their α; nothing where the file does not say. Throws Failure(InvalidFile).
std::optional<std::vector<LearnedAlpha>> readLearnedAlphas(
    const std::map<std::string, std::string>& metadata, const std::string& where);

/// How much of its run had been trained; 1 where nothing is said. Throws Failure(InvalidFile).
double readProgress(const std::map<std::string, std::string>& metadata, const std::string& where);

/// Reads it back; nothing where the file carries no Experiment. Errors: metadata that is there but
/// wrong, or a sequence model's. `where` is for messages.
Result<std::optional<ModelMetadata>> readModelMetadata(
    const std::map<std::string, std::string>& metadata, const std::string& where);

/// The Experiment of the whole run, edits included, as it was written.
Result<Experiment> runExperiment(const std::map<std::string, std::string>& metadata,
                                 const std::string& where);

}  // namespace headlight
