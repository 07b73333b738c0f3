// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What to train on, how, and what to watch meanwhile.

#include <cstdint>
#include <string>

#include "core/config/DatasetKinds.h"
#include "core/config/Parameter.h"

namespace headlight {

struct DataConfig {
  std::string dataset = kProceduralData;  ///< DatasetKinds.h
  std::string path;                       ///< of a dataset on disk
  double validationFraction = 0.1;        ///< where the folder has no validation split of its own
  double fraction = 1;                    ///< share of every class of the training split
  std::int64_t maxSamples = 0;            ///< of what `fraction` leaves; 0: all
  std::int64_t trainSamples = 2000;       ///< of what is drawn (isDrawnData)
  std::int64_t validationSamples = 500;   ///< likewise
  std::int64_t drawnClasses = 9;          ///< likewise: the first so many texture-shapes
  int loaderThreads = 1;
  bool augment = true;
  double minScale = 0.35;
  double minRatio = 0.75;
  double flip = 0.5;
  double colorJitter = 0.0;
  std::string randAugment;              ///< timm's spelling, RandAugmentText.h; empty: none
  double erasing = 0.0;                 ///< probability of random erasing (Zhong et al. 2020)
  std::string erasingMode = "pixel";    ///< const | rand | pixel: what an erased box holds
  std::int64_t erasingCount = 1;        ///< boxes of an image, at most
  std::string interpolation = "model";  ///< of crops: model | random (bilinear or bicubic)
  std::int64_t repeats = 1;             ///< repeated augmentation (Hoffer et al. 2020); 1: none
  std::int64_t shuffleBuffer = 2000;    ///< shards: images that are shuffled among each other
  bool jpegScaling = false;             ///< JPEGs far larger than their crop are decoded smaller
  bool boxCrop = true;                  ///< images with boxes: crops that keep objects in sight
  bool multiScale = false;              ///< likewise: each batch at a side of its own
  bool segmentScales = true;            ///< images with a class for every pixel: random scales
  std::string teacherLogits;            ///< file of a teacher's logits or features; empty: none
};

struct TrainingConfig {
  std::int64_t epochs = 20;
  std::int64_t batchSize = 32;
  std::int64_t accumulate = 1;        ///< parts that a step's batch is computed in
  bool checkpointBlocks = false;      ///< computed again in the backward pass: less memory
  std::string precision = "float32";  ///< float32 | bfloat16 | float16: of matrix products
  std::string optimizer = "adamw";    ///< adamw | sgd
  /// cosine | poly | exponential | step | constant | inverse_sqrt
  std::string schedule = "cosine";
  double learningRate = 1e-3;        ///< peak
  std::int64_t learningRatePer = 0;  ///< images of a batch that it is given for; 0: for any
  double decayRate = 0.97;           ///< exponential: of an epoch; step: of decayEpochs
  double decayEpochs = 30;           ///< of the step schedule
  double backboneRate = 1;           ///< factor of the rates of what lies below "backbone."
  std::int64_t maskPoints = 12544;   ///< of a segmenter: where masks are compared, at most
  double minLearningRate = 1e-5;
  double warmupLearningRate = 1e-6;
  double warmupEpochs = 1;
  double weightDecay = 0.05;
  bool decayMasks = false;    ///< also of learned masks (IBiT) and scales (LSLA)
  bool decayVectors = false;  ///< also of biases and of norms but batch norms
  double momentum = 0.9;      ///< of sgd
  bool nesterov = false;      ///< of sgd
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double labelSmoothing = 0.1;
  double mixupAlpha = 0.0;      ///< λ ~ Beta(α, α) of Mixup; 0: none
  double cutmixAlpha = 0.0;     ///< of CutMix; 0: none. Both on: a batch takes either
  double clipGradient = 1.0;    ///< greatest global l2 norm; 0: no clipping
  double emaDecay = 0.0;        ///< 0: no moving average of the weights
  bool emaWarmup = false;       ///< of step t at most (1 + t) / (10 + t)
  std::int64_t emaRestart = 0;  ///< epochs after which the average begins anew; 0: never
  std::string weights;          ///< checkpoint to start from; empty: from scratch
  bool keepClasses = false;     ///< rows of their head for classes of the same names
  // Fine-tuning.
  std::string freeze;            ///< FreezeText.h; empty: nothing, with an adapter all but the head
  double layerDecay = 1;         ///< factor of the rate from a layer to the one before
  std::string adapter = "none";  ///< none | lora | bottleneck
  std::int64_t adapterRank = 8;  ///< r of LoRA, hidden width of a bottleneck
  double adapterAlpha = 16;      ///< α of LoRA, whose scale is α / r
  double adapterScale = 0.1;     ///< s of a bottleneck
  double adapterDropout = 0;     ///< of what enters LoRA, of a bottleneck's hidden features
  std::string adapterLayers = "q,v";  ///< adapterLayersFromText
  double headEpochs = 0;              ///< epochs at the beginning that train the head alone
  bool resetAlpha = false;  ///< soft masks start from their α, whatever those weights learned
  // Distillation (DeiT, Touvron et al. 2021, §4).
  std::string distillation = "none";   ///< none | soft | hard | features
  std::string teacher;                 ///< a published name, a config or a checkpoint
  std::string teacherWeights;          ///< empty: as `teacher` says
  double distillationAlpha = 0.5;      ///< the teacher's share of the loss
  double distillationTemperature = 3;  ///< τ, of soft distillation alone
  std::int64_t checkpointSteps = 200;  ///< `last` is written at least every so many steps
  std::int64_t keepEvery = 0;          ///< epochs between checkpoints that are kept; 0: none
  double timeout = 600;                ///< seconds that one process of a run waits for the others
};

struct TelemetryConfig {
  std::int64_t alsSteps = 50;      ///< steps between measurements of ALS and α; 0: never
  std::int64_t probeImages = 8;    ///< validation images that ALS is averaged over
  std::int64_t metricsSteps = 10;  ///< steps between lines of metrics.jsonl
  bool tensorboard = false;        ///< event files beside the logs
  double evolutionMegabytes = 64;  ///< greatest size of the recorded maps; 0: none recorded
};

const ParameterTable& dataParameters();
const ParameterTable& trainingParameters();
const ParameterTable& telemetryParameters();

}  // namespace headlight
