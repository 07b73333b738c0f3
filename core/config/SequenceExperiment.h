// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What is to be known of a causal AFT, or of the Transformer that it is compared with, over a
// sequence of bytes (Zhai et al. 2021, §5.1 and §5.2): images byte by byte, or text. As
// Experiment is for image classifiers: what the command line and the window run, a run folder
// records and a checkpoint carries.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/DatasetKinds.h"
#include "core/config/Experiment.h"
#include "core/config/Parameter.h"

namespace headlight {

/// Larger files are refused; a config is a few kilobytes.
inline constexpr std::uintmax_t kMaxSequenceConfigBytes = 16u << 20;

/// A part of the data. Of text: its first 90 %, the next 5 %, the last 5 %, as enwik8 is usually
/// split. Images have no Test: their Validation is CIFAR-10's test batch, or the val folder.
enum class SequenceSplit { Train, Validation, Test };
/// "train", "validation", "test". Errors: InvalidArgument.
Result<SequenceSplit> sequenceSplitFromText(const std::string& text);

struct SequenceDataConfig {
  std::string kind = "images";            ///< images | text
  std::string dataset = kProceduralData;  ///< of images (DatasetKinds.h)
  std::string path;    ///< the dataset's folder, or the file of bytes; unused by texture-shape
  int imageSize = 32;  ///< pixels of a side: images become squares of it
  std::int64_t maxSamples = 0;           ///< images of the training split; 0: all
  std::int64_t trainSamples = 2000;      ///< texture-shape
  std::int64_t validationSamples = 200;  ///< texture-shape
  double validationFraction = 0.1;       ///< images without a validation split of their own
  bool augment = false;  ///< images: flips, and up to ±10 on all values together (§5.1)
};

struct SequenceModelConfig {
  /// softmax (the Transformer) | aft_full (Eq. 2) | aft_local (Eq. 4) | aft_simple (Eq. 5) |
  /// aft_conv (Eq. 6) | linear_transformer | performer | synthesizer
  std::string mechanism = "aft_local";
  int width = 128;  ///< D
  int depth = 4;    ///< blocks
  double mlpRatio = 4.0;
  int length = 256;  ///< T of text, in bytes; that of images follows from their size
  int heads = 4;     ///< of all but aft_full, aft_local and aft_simple; divides width
  int rank = 32;     ///< d' of Eq. 7
  bool factorized = true;
  int window = 32;  ///< s of Eq. 4 and 6 along the sequence: t − t' < s has a learned bias
  bool reparametrize = true;  ///< Eq. 8, of aft_conv
  bool query = true;
  int features = 0;                 ///< of performer; 0: d·ln d
  int featureSeed = 0;              ///< of performer
  std::string synthesis = "dense";  ///< of synthesizer: dense | random | factorized (rank)
  double dropout = 0.0;             ///< of embeddings and branches, in training

  bool isSoftmax() const { return mechanism == "softmax"; }
  bool isConv() const { return mechanism == "aft_conv"; }
  bool isSynthesizer() const { return mechanism == "synthesizer"; }
  /// By features, linear in the positions.
  bool isLinear() const { return mechanism == "linear_transformer" || mechanism == "performer"; }
  bool hasHeads() const { return isSoftmax() || isConv() || isSynthesizer() || isLinear(); }
  /// For pairs of positions.
  bool hasPositionBiases() const { return mechanism == "aft_full" || mechanism == "aft_local"; }
  int hiddenWidth() const { return static_cast<int>(width * mlpRatio); }  ///< of the MLP
};

struct SequenceTrainingConfig {
  std::int64_t steps = 2000;
  std::int64_t batchSize = 16;      ///< sequences a step, over all processes of a run
  std::string schedule = "cosine";  ///< cosine | inverse_sqrt (§5.1, §5.2)
  double learningRate = 3e-3;       ///< peak
  double minLearningRate = 1e-5;
  std::int64_t warmupSteps = 100;
  double weightDecay = 0.05;
  double clipGradient = 1.0;           ///< greatest global l2 norm; 0: no clipping
  double emaDecay = 0.0;               ///< 0: no moving average of the weights
  std::string weights;                 ///< a run or its weights to start from; empty: from scratch
  std::int64_t evaluateSteps = 200;    ///< steps between validations; the last step has one too
  std::int64_t evaluateSamples = 64;   ///< sequences of a validation, spread evenly; 0: all
  std::int64_t checkpointSteps = 200;  ///< `last` is written at least every so many steps
  double timeout = 600;                ///< seconds that one process of a run waits for the others
};

struct SequenceExperiment {
  static constexpr int kSchema = 1;

  std::string name = "sequence";
  std::int64_t seed = 0;
  std::string device = "auto";  ///< auto (CUDA if there is one) | cpu | cuda | cuda:N
  int threads = 0;              ///< 0: as many as cores
  SequenceDataConfig data;
  SequenceModelConfig model;
  SequenceTrainingConfig training;

  bool ofImages() const { return data.kind == "images"; }
  /// T: bytes of a sequence. Of images: size · size · 3, else model.length.
  std::int64_t length() const;
  /// "bits/dim" of images, "bits/char" of text.
  const char* unit() const { return ofImages() ? "bits/dim" : "bits/char"; }
};

const ParameterTable& sequenceRunParameters();  ///< name, seed, device, threads
const ParameterTable& sequenceDataParameters();
const ParameterTable& sequenceModelParameters();
const ParameterTable& sequenceTrainingParameters();

/// The sections "" (the top level), data, model, training: for forms, flags and help. `table` fits
/// the member of that name.
const std::vector<Section>& sequenceSections();

/// Reads and checks the whole of it. Errors (InvalidConfig) name the JSON path ("model.window"),
/// also of values that are fine alone and not together.
Result<SequenceExperiment> sequenceFromJson(const Json& json);
/// Parses text (at most 16 MB, depth at most 64), then reads it. `name` is for messages.
Result<SequenceExperiment> sequenceFromText(std::string_view text, const std::string& name);
Result<SequenceExperiment> readSequenceExperiment(const std::filesystem::path& path);

/// Every parameter written out. Reading it back gives the same.
Json sequenceToJson(const SequenceExperiment& experiment);

/// Sets "training.steps" from a flag's text; the JSON as a whole is checked when it is read.
Result<void> overrideSequenceParameter(Json& json, const std::string& path,
                                       const std::string& text);

}  // namespace headlight
