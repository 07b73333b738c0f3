// SPDX-License-Identifier: GPL-3.0-or-later

// test_ranks steps FILE: trains small models in double precision as one of several processes, and
// writes the weights that process 0 ends with.
// test_ranks sequences FILE: the same of small sequence models.
// test_ranks adapted FILE: the same of two models that are fine-tuned: the head alone at first, then
// LoRA with dropout.
// test_ranks boxes FAILING: every process has its rows' boxes, also where the images FAILING (index
// modulo 7; -1: none) cannot be read.

#include <ATen/Parallel.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/checkpoint/Checkpoint.h"
#include "core/masks/RandomScheme.h"
#include "core/training/SharedBatches.h"
#include "core/training/sequence/SequenceTrainer.h"
#include "core/training/tuning/Adapters.h"
#include "tests/TemporaryFolder.h"
#include "tests/data/Rectangles.h"
#include "tests/models/Pairings.h"
#include "tests/training/SharedSteps.h"

namespace headlight {
namespace {

constexpr std::int64_t kImages = 9, kSteps = 50, kEdit = 20;

/// Other masks, and so other parameters, in the middle of the run.
void edit(Model& model, StepRunner& runner) {
  MaskScheme scheme = model.masks();
  for (int layer = 0; layer < scheme.maskableLayers(); ++layer)
    scheme.set(layer, 0, *headMaskFromText("soft:3@0.5"));
  if (guarded("edit", [&] { model.setMasks(scheme); })) runner.refreshParameters();
}

NamedTensors trained(const ModelConfig& config, const std::shared_ptr<Processes>& processes) {
  const auto model = sharedModel(config);
  StepRunner runner(model, at::kCPU, sharedTraining(kSteps, 1e-3), 5, 1, nullptr, processes);
  for (std::int64_t step = 0; step < kSteps; ++step) {
    if (step == kEdit) edit(*model, runner);
    runner.run(ownShare(sharedBatch(config, kImages, step), processes.get()), step);
  }
  return model->state();
}

constexpr std::int64_t kAdaptedSteps = 8;

NamedTensors adapted(const ModelConfig& config, const std::shared_ptr<Processes>& processes) {
  const auto model = sharedModel(config);
  TrainingConfig training = sharedTraining(kAdaptedSteps, 1e-3);
  training.adapter = "lora";
  training.adapterRank = 2;
  training.adapterDropout = 0.3;
  training.adapterLayers = "q,v,proj,mlp";
  training.headEpochs = 3;
  training.layerDecay = 0.7;
  attachAdapters(*model, training, 5);
  StepRunner runner(model, at::kCPU, training, 5, 1, nullptr, processes);
  for (std::int64_t step = 0; step < kAdaptedSteps; ++step)
    runner.run(ownShare(sharedBatch(config, kImages, step), processes.get()), step);
  return model->state();
}

/// Met: from then on sums are waited for without looking after them.
std::shared_ptr<Processes> processesOf(const Launch& launch) {
  if (launch.alone()) return nullptr;
  auto processes = std::make_shared<Processes>(launch, std::chrono::seconds(120));
  processes->endStart();
  return processes;
}

LoaderOptions boxLoader(bool augmented, const Processes* processes) {
  LoaderOptions options;
  options.batchSize = 5;
  options.threads = 0;
  options.augment.enabled = augmented;
  options.preprocessing.width = options.preprocessing.height = 32;
  takePart(options, processes);
  return options;
}

std::shared_ptr<test::RectangleDataset> rectangles(int failing) {
  auto dataset = std::make_shared<test::RectangleDataset>(20);
  dataset->fails = [failing](std::int64_t index) { return index % 7 == failing; };
  return dataset;
}

std::vector<Batch> batchesOf(int failing, bool augmented,
                             const std::shared_ptr<Processes>& processes) {
  SharedBatches batches(
      std::make_unique<Loader>(rectangles(failing), boxLoader(augmented, processes.get())),
      processes);
  batches.startEpoch(1);
  std::vector<Batch> all;
  while (auto batch = valueOrThrow(batches.next({})))
    all.push_back(std::move(*batch));
  return all;
}

bool sameTruth(const ImageTruth& a, const ImageTruth& b) {
  return a.width == b.width && a.height == b.height && a.boxes == b.boxes;
}

/// Row by row as in one process.
void checkBoxes(const Batch& here, const Batch& whole) {
  for (std::size_t i = 0; i < here.rows.size(); ++i) {
    const auto row = static_cast<std::size_t>(here.rows[i]);
    const bool boxes = here.boxes.at(i) == whole.boxes.at(row);
    const bool images =
        at::equal(here.images[static_cast<std::int64_t>(i)], whole.images[here.rows[i]]);
    const bool truth =
        whole.truth.empty() ? here.truth.empty() : sameTruth(here.truth.at(i), whole.truth.at(row));
    if (!boxes || !images || !truth)
      throw Failure({ErrorCode::Internal, "other boxes than in one process", ""});
  }
}

int runBoxes(int failing) {
  at::set_num_threads(1);
  const auto processes = processesOf(valueOrThrow(launchOfThisProcess()));
  for (const bool augmented : {false, true}) {
    const auto alone = batchesOf(failing, augmented, nullptr);
    const auto here = batchesOf(failing, augmented, processes);
    if (here.size() != alone.size()) throw Failure({ErrorCode::Internal, "other batches", ""});
    for (std::size_t i = 0; i < here.size(); ++i) {
      checkBoxes(here[i], alone[i]);
      checkBoxes(ownShare(alone[i], processes.get()), alone[i]);
    }
  }
  return 0;
}

/// A Swin at a third of its heads and width: in as many blocks and windows a ninth of the weights to
/// step and to add up.
ModelConfig narrowed(ModelConfig config) {
  const bool byThrees = config.heads % 3 == 0 && config.width % 3 == 0;
  if (config.backbone != "swin" || !byThrees || !config.stageHeads.empty()) return config;
  config.heads /= 3;
  config.width /= 3;
  return config;
}

/// Without those whose processes have batch norms of their own (normsApart), and so do not follow one
/// that is alone.
NamedConfigs classifiers() {
  NamedConfigs all = costlyPairings();
  std::erase_if(all, [](const auto& pairing) {
    const ModelConfig& config = pairing.second;
    const bool twice =  // for the sake of batch norms, whose sums take their time
        config.backbone.ends_with(kClassifierEnding) && config.mechanism != "softmax";
    return twice || taskOf(config) != Task::Classify;
  });
  for (auto& [name, config] : all)
    config = narrowed(config);
  return all;
}

SequenceExperiment smallSequence(const std::string& mechanism) {
  SequenceExperiment experiment;
  experiment.seed = 7;
  experiment.data.imageSize = 4;
  experiment.data.trainSamples = 20;
  experiment.data.validationSamples = 7;
  experiment.model.mechanism = mechanism;
  experiment.model.width = 12;
  experiment.model.depth = 2;
  experiment.model.rank = 3;
  experiment.model.window = 6;
  experiment.model.dropout = 0.3;
  experiment.training.steps = 20;
  experiment.training.batchSize = 5;
  experiment.training.warmupSteps = 3;
  experiment.training.learningRate = 1e-3;
  experiment.training.emaDecay = 0.7;
  experiment.training.evaluateSteps = 8;
  experiment.training.evaluateSamples = 0;
  return experiment;
}

/// Its weights at the end, their moving average, and the bits of steps and validations.
NamedTensors trainedSequence(const std::string& mechanism, const TemporaryFolder& folder,
                             const std::shared_ptr<Processes>& processes) {
  SequenceTrainerParts parts;
  parts.experiment = smallSequence(mechanism);
  parts.model = makeSequenceModel(parts.experiment);
  parts.model->to(at::kDouble);
  parts.train = valueOrThrow(openSequences(parts.experiment, SequenceSplit::Train));
  parts.validation = valueOrThrow(openSequences(parts.experiment, SequenceSplit::Validation));
  parts.processes = processes;
  const auto model = parts.model;
  std::vector<double> bits;
  const auto note = [&](const SequenceReading& reading) {
    if (!reading.validating) bits.push_back(reading.validationBits.value_or(reading.trainBits));
  };
  SequenceTrainer(std::move(parts), RunFolder::create(folder / mechanism)).run(note, {});
  NamedTensors all;
  all.emplace_back("bits", at::tensor(bits, at::kDouble));
  for (const auto& [name, tensor] : model->trainable())
    all.emplace_back(name, tensor.detach().clone());
  return all;
}

int runSequences(const std::string& file) {
  at::set_num_threads(1);
  const Launch launch = valueOrThrow(launchOfThisProcess());
  const std::shared_ptr<Processes> processes = processesOf(launch);
  const TemporaryFolder folder;
  NamedTensors all;
  for (const char* mechanism :
       {"softmax", "aft_full", "aft_local", "aft_simple", "aft_conv", "performer", "synthesizer"})
    for (const auto& [name, tensor] : trainedSequence(mechanism, folder, processes))
      all.emplace_back(std::string(mechanism) + ":" + name, tensor);
  if (launch.rank == 0) valueOrThrow(writeSafetensors(file, all, {}));
  return 0;
}

/// A ViT, and windows, whose rows are not images.
NamedConfigs adaptedModels() {
  NamedConfigs all = pairings();
  std::erase_if(all, [](const auto& pairing) {
    return pairing.first != "vit/softmax" && !pairing.first.starts_with("swin/window");
  });
  return all;
}

int runRank(const std::string& file, bool adapts) {
  at::set_num_threads(1);
  const Launch launch = valueOrThrow(launchOfThisProcess());
  const std::shared_ptr<Processes> processes = processesOf(launch);
  NamedTensors all;
  for (const auto& [name, config] : adapts ? adaptedModels() : classifiers())
    for (const auto& [key, tensor] :
         adapts ? adapted(config, processes) : trained(config, processes))
      all.emplace_back(name + ":" + key, tensor.detach().clone());
  if (launch.rank == 0) valueOrThrow(writeSafetensors(file, all, {}));
  return 0;
}

}  // namespace
}  // namespace headlight

int main(int count, char** arguments) {
  const auto done = headlight::guarded("", [&] {
    if (count == 3 && std::strcmp(arguments[1], "boxes") == 0)
      return headlight::runBoxes(std::atoi(arguments[2]));
    if (count == 3 && std::strcmp(arguments[1], "sequences") == 0)
      return headlight::runSequences(arguments[2]);
    const bool adapts = count == 3 && std::strcmp(arguments[1], "adapted") == 0;
    if (count != 3 || (!adapts && std::strcmp(arguments[1], "steps") != 0))
      throw headlight::Failure({headlight::ErrorCode::InvalidArgument,
                                "steps FILE, adapted FILE, sequences FILE or boxes FAILING", ""});
    return headlight::runRank(arguments[2], adapts);
  });
  if (!done) std::fprintf(stderr, "test_ranks: %s\n", done.error().text().c_str());
  return done ? 0 : 1;
}
