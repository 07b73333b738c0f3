// SPDX-License-Identifier: GPL-3.0-or-later

// Parameters that a training leaves as they are: no gradient, no state, no activations, and the
// others learn what they learn without.

#include "core/training/tuning/FrozenParts.h"

#include <gtest/gtest.h>

#include <ATen/Functions.h>
#include <torch/csrc/autograd/function.h>

#include <map>
#include <set>

#include "core/training/step/StepRunner.h"
#include "tests/models/Pairings.h"
#include "tests/training/SharedSteps.h"
#include "tests/training/Support.h"

namespace headlight {
namespace {

TrainingConfig frozenTraining(const std::string& freeze) {
  TrainingConfig config;
  config.freeze = freeze;
  config.epochs = 4;
  config.warmupEpochs = 0;
  config.learningRate = 1e-2;
  config.emaDecay = 0.5;
  return config;
}

Batch frozenBatch(const ModelConfig& config, std::int64_t step, at::ScalarType type = at::kFloat) {
  Batch batch = sharedBatch(config, 4, step);
  batch.images = batch.images.to(type);
  return batch;
}

std::map<std::string, at::Tensor> copied(const NamedTensors& tensors) {
  std::map<std::string, at::Tensor> copies;
  for (const auto& [name, tensor] : tensors)
    copies[name] = tensor.detach().clone();
  return copies;
}

/// Names of the parameters that an optimizer has state of.
std::set<std::string> withState(StepRunner& runner) {
  std::set<std::string> names;
  for (const auto& item : runner.optimizer().state())
    names.insert(item.first.substr(item.first.find('.') + 1));
  return names;
}

std::set<std::string> averagedNames(StepRunner& runner) {
  std::set<std::string> names;
  for (const auto& item : runner.average().state())
    names.insert(item.first);
  return names;
}

TEST(FrozenParts, LeaveAllButTheHeadOfEveryMechanismAsItIs) {
  for (const auto& [name, config] : pairings()) {
    SCOPED_TRACE(name);
    const auto model = makeModel(config, 3);
    model->train();
    const auto before = copied(model->state());
    StepRunner runner(model, at::kCPU, frozenTraining("all but the head"), 5, 1);
    runner.run(frozenBatch(config, 0), 0);
    std::size_t changed = 0;
    for (const auto& [parameter, tensor] : model->trainable()) {
      const bool head = isHeadParameter(*model, parameter);
      EXPECT_EQ(tensor.requires_grad(), head) << parameter;
      const bool same = at::equal(tensor, before.at(parameter));
      EXPECT_TRUE(head || same) << parameter;
      changed += same ? 0 : 1;
      EXPECT_TRUE(head || (!withState(runner).contains(parameter) &&
                           !averagedNames(runner).contains(parameter)))
          << parameter;
    }
    EXPECT_GT(changed, 0u);
    for (const auto& [buffer, tensor] : model->state())
      if (buffer.ends_with(".running_mean") && !isHeadParameter(*model, buffer))
        EXPECT_TRUE(at::equal(tensor, before.at(buffer))) << buffer;
  }
}

/// By a step of SGD, which is the gradient.
TEST(FrozenParts, LetTheOthersLearnAsInAFullStep) {
  ModelConfig config = tinyExperiment().model;
  const auto trained = [&](const std::string& freeze) {
    const auto model = sharedModel(config);
    TrainingConfig training = frozenTraining(freeze);
    training.optimizer = "sgd";
    training.clipGradient = 0;
    StepRunner(model, at::kCPU, training, 5, 1).run(frozenBatch(config, 0, at::kDouble), 0);
    return copied(model->trainable());
  };
  const auto start = copied(sharedModel(config)->trainable());
  const auto full = trained("");
  for (const char* freeze : {"first 1 block", "all but norms and biases", "blocks.*.attn"}) {
    SCOPED_TRACE(freeze);
    std::size_t frozen = 0;
    for (const auto& [name, tensor] : trained(freeze)) {
      const bool norm = name.find("norm") != std::string::npos, bias = name.ends_with(".bias");
      const bool head = name.starts_with("head.") || name.starts_with("norm.");
      const std::string rule = freeze;
      const bool learns = rule == "first 1 block"   ? name.starts_with("blocks.1.") || head
                          : rule == "blocks.*.attn" ? name.find(".attn.") == std::string::npos
                                                    : norm || bias;
      frozen += learns ? 0 : 1;
      EXPECT_TRUE(at::allclose(tensor, (learns ? full : start).at(name), 0, learns ? 1e-12 : 0))
          << name;
    }
    EXPECT_GT(frozen, 4u);
  }
}

/// Of a graph of the backward pass, which keeps the activations.
std::size_t graphNodes(Model& model, const at::Tensor& images) {
  std::set<const torch::autograd::Node*> seen;
  const at::Tensor logits = model.forward(images);
  std::vector<const torch::autograd::Node*> open{logits.grad_fn().get()};
  while (!open.empty()) {
    const auto* node = open.back();
    open.pop_back();
    if (node == nullptr || !seen.insert(node).second) continue;
    for (const auto& edge : node->next_edges())
      open.push_back(edge.function.get());
  }
  return seen.size();
}

TEST(FrozenParts, KeepNoActivations) {
  const ModelConfig config = tinyExperiment().model;
  const at::Tensor images = at::randn({2, 3, 16, 16});
  const auto nodes = [&](const std::string& freeze) {
    const auto model = makeModel(config, 3);
    model->train();
    freezeParts(*model, frozenTraining(freeze), false);
    return graphNodes(*model, images);
  };
  const std::size_t whole = nodes(""), half = nodes("first 1 block"),
                    head = nodes("all but the head");
  EXPECT_LT(half, whole * 2 / 3);
  EXPECT_LT(head, half / 3);
  EXPECT_LT(head, 10u);
}

TEST(FrozenParts, TrainTheHeadAloneAtFirst) {
  const ModelConfig config = tinyExperiment().model;
  const auto model = makeModel(config, 3);
  model->train();
  TrainingConfig training = frozenTraining("");
  training.headEpochs = 2;
  StepRunner runner(model, at::kCPU, training, 5, 1);
  const auto before = copied(model->trainable());
  for (std::int64_t step = 0; step < 2; ++step) {
    runner.run(frozenBatch(config, step), step);
    EXPECT_EQ(withState(runner), (std::set<std::string>{"head.bias", "head.weight"}));
  }
  for (const auto& [name, tensor] : model->trainable())
    EXPECT_EQ(at::equal(tensor, before.at(name)), !name.starts_with("head.")) << name;
  runner.announce(2);
  runner.run(frozenBatch(config, 2), 2);
  for (const auto& [name, tensor] : model->trainable())
    EXPECT_FALSE(at::equal(tensor, before.at(name))) << name;
  EXPECT_EQ(withState(runner).size(), before.size());
}

TEST(FrozenParts, HoldForWhatAMaskEditBrings) {
  const Experiment experiment = tinyExperiment();
  const auto model = makeModel(experiment.model, 3);
  model->train();
  StepRunner runner(model, at::kCPU, frozenTraining("all but the head"), 5, 1);
  MaskScheme scheme = model->masks();
  valueOrThrow(applyMaskEdit(scheme, editOf(scheme, 1, 0, "soft:3@0.5")));
  model->setMasks(scheme);
  runner.refreshParameters();
  bool found = false;
  for (const auto& [name, tensor] : model->trainable())
    if (name.ends_with("soft_mask_logit")) {
      found = true;
      EXPECT_FALSE(tensor.requires_grad());
    }
  EXPECT_TRUE(found);
  runner.run(frozenBatch(experiment.model, 0), 0);
}

TEST(FrozenParts, RefuseWhatLeavesNothingOrIsNotThere) {
  const TemporaryFolder temporary;
  for (const auto& [freeze, words] :
       std::vector<std::pair<std::string, std::string>>{{"*", "no parameter to train"},
                                                        {"all but nosuch.*", "nosuch.*"},
                                                        {"first 3 blocks", "the model has 2"}}) {
    Experiment experiment = tinyExperiment();
    experiment.training.freeze = freeze;
    const auto refused = TrainingSession::begin(experiment, temporary.path() / "run");
    ASSERT_FALSE(refused.ok()) << freeze;
    EXPECT_EQ(refused.error().where, "training.freeze");
    EXPECT_NE(refused.error().message.find(words), std::string::npos) << refused.error().text();
    EXPECT_FALSE(std::filesystem::exists(temporary.path() / "run"));
  }
}

TEST(FrozenParts, ResumeToTheSameWeights) {
  const TemporaryFolder temporary;
  Experiment experiment = tinyExperiment();
  experiment.training.freeze = "first 1 block";
  experiment.training.headEpochs = 1;  // five steps
  experiment.training.layerDecay = 0.7;
  const auto whole = temporary.path() / "whole";
  runToEnd(*begin(experiment, whole));
  for (const std::int64_t steps : {3, 5, 7}) {
    const auto stopped = temporary.path() / std::to_string(steps);
    ASSERT_TRUE(runUntil(*begin(experiment, stopped), steps));
    runToEnd(*resume(stopped));
    expectSame(lastTensors(whole), lastTensors(stopped));
  }
}

}  // namespace
}  // namespace headlight
