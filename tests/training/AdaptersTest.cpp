// SPDX-License-Identifier: GPL-3.0-or-later

// LoRA and bottlenecks: naive references, merging, what learns, runs that have them.

#include "core/training/tuning/Adapters.h"

#include <gtest/gtest.h>

#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>

#include "core/attention/base/AdaptableLinear.h"
#include "core/attention/base/MicroBatch.h"
#include "core/attention/base/RowDropout.h"
#include "core/config/FreezeText.h"
#include "core/models/layers/Bottleneck.h"
#include "core/training/run/TrainingCheckpoint.h"
#include "core/training/step/StepRunner.h"
#include "core/training/tuning/FrozenParts.h"
#include "core/workbench/loading/LoadedModel.h"
#include "core/workbench/loading/Weights.h"
#include "tests/models/Pairings.h"
#include "tests/training/SharedSteps.h"
#include "tests/training/Support.h"

namespace headlight {
namespace {

using Matrix = std::vector<std::vector<double>>;

Matrix numbersOf(const at::Tensor& tensor) {
  const at::Tensor values = tensor.detach().to(at::kDouble).contiguous();
  const double* next = values.data_ptr<double>();
  Matrix result(values.size(0), std::vector<double>(values.size(1)));
  for (auto& row : result)
    for (double& value : row)
      value = *next++;
  return result;
}

TrainingConfig adapterTraining(const std::string& kind, const std::string& layers = "q,v") {
  TrainingConfig config;
  config.adapter = kind;
  config.adapterLayers = layers;
  config.adapterRank = 3;
  config.adapterAlpha = 6;
  config.epochs = 4;
  config.warmupEpochs = 0;
  config.learningRate = 1e-2;
  return config;
}

/// Random numbers in the place of the zeros that adapters start from.
void stirAdapters(Model& model) {
  const at::NoGradGuard noGrad;
  seedTorch(11);
  for (auto& [name, tensor] : model.trainable())
    if (isAdapterTensor(name)) {
      at::Tensor values = tensor;
      values.normal_(0, 0.2);
    }
}

TEST(LowRankAdapter, IsANaiveSumWithNaiveGradients) {
  constexpr int kIn = 4, kRows = 3, kRank = 2, kTokens = 5;
  AdaptableLinear layer(kIn, 3 * kRows);  // as a fused qkv
  layer->to(at::kDouble);
  const LowRankOptions options{kRank, 1.5, 0};
  const auto query = layer->adapt("q", 0, kRows, options);
  const auto value = layer->adapt("v", 2 * kRows, kRows, options);
  {
    const at::NoGradGuard noGrad;
    for (at::Tensor& parameter : layer->parameters())
      parameter.normal_();
  }
  const at::Tensor x = at::randn({1, kTokens, kIn}, at::kDouble),
                   c = at::randn({1, kTokens, 3 * kRows}, at::kDouble);
  const at::Tensor y = layer(x);
  (y * c).sum().backward();

  const Matrix X = numbersOf(x[0]), C = numbersOf(c[0]), W = numbersOf(layer->weight),
               Y = numbersOf(y[0]);
  const at::Tensor bias = layer->bias;
  for (const auto& [part, first] :
       std::vector<std::pair<std::shared_ptr<LowRank>, int>>{{query, 0}, {value, 2 * kRows}}) {
    const auto named = part->named_parameters();
    const Matrix A = numbersOf(named["down"]), B = numbersOf(named["up"]);
    Matrix dA(kRank, std::vector<double>(kIn)), dB(kRows, std::vector<double>(kRank));
    for (int t = 0; t < kTokens; ++t)
      for (int o = 0; o < kRows; ++o) {
        double expected = bias[first + o].item<double>();
        for (int i = 0; i < kIn; ++i)
          expected += W[first + o][i] * X[t][i];
        for (int r = 0; r < kRank; ++r) {
          double low = 0;
          for (int i = 0; i < kIn; ++i) {
            low += A[r][i] * X[t][i];
            dA[r][i] += 1.5 * C[t][first + o] * B[o][r] * X[t][i];
          }
          dB[o][r] += 1.5 * C[t][first + o] * low;
          expected += 1.5 * B[o][r] * low;
        }
        EXPECT_NEAR(Y[t][first + o], expected, 1e-12);
      }
    const Matrix gradientA = numbersOf(named["down"].grad()),
                 gradientB = numbersOf(named["up"].grad());
    for (int r = 0; r < kRank; ++r) {
      for (int i = 0; i < kIn; ++i)
        EXPECT_NEAR(gradientA[r][i], dA[r][i], 1e-12);
      for (int o = 0; o < kRows; ++o)
        EXPECT_NEAR(gradientB[o][r], dB[o][r], 1e-12);
    }
  }
  for (int t = 0; t < kTokens; ++t)  // keys have none
    for (int o = kRows; o < 2 * kRows; ++o) {
      double expected = bias[o].item<double>();
      for (int i = 0; i < kIn; ++i)
        expected += W[o][i] * X[t][i];
      EXPECT_NEAR(Y[t][o], expected, 1e-12);
    }
}

TEST(BottleneckAdapter, IsANaiveMlpWithTheGradientsOfFiniteDifferences) {
  Bottleneck bottleneck(4, 3, 0.5, 0, at::zeros({1}, at::kDouble));
  const at::NoGradGuard noGrad;
  seedTorch(5);
  for (at::Tensor& parameter : bottleneck.parameters())
    parameter.normal_();
  const at::Tensor x = at::randn({1, 5, 4}, at::kDouble), c = at::randn({5, 4}, at::kDouble);
  const auto named = bottleneck.named_parameters();
  const auto naive = [&] {
    const Matrix X = numbersOf(x[0]), C = numbersOf(c), D = numbersOf(named["down.weight"]),
                 U = numbersOf(named["up.weight"]);
    double sum = 0;
    for (std::size_t t = 0; t < X.size(); ++t)
      for (std::size_t o = 0; o < 4; ++o) {
        double out = named["up.bias"][static_cast<std::int64_t>(o)].item<double>();
        for (std::size_t r = 0; r < 3; ++r) {
          double hidden = named["down.bias"][static_cast<std::int64_t>(r)].item<double>();
          for (std::size_t i = 0; i < 4; ++i)
            hidden += D[r][i] * X[t][i];
          out += U[o][r] * std::max(hidden, 0.0);
        }
        sum += 0.5 * out * C[t][o];
      }
    return sum;
  };
  {
    const at::AutoGradMode graph(true);
    const at::Tensor sum = (bottleneck.forward(x)[0] * c).sum();
    EXPECT_NEAR(sum.item<double>(), naive(), 1e-12);
    sum.backward();
  }
  for (const auto& item : named) {
    at::Tensor flat = item.value().detach().view({-1});
    const at::Tensor gradient = item.value().grad().view({-1});
    for (std::int64_t i = 0; i < flat.numel(); ++i) {
      constexpr double kStep = 1e-6;
      const double value = flat[i].item<double>();
      flat[i] = value + kStep;
      const double above = naive();
      flat[i] = value - kStep;
      const double below = naive();
      flat[i] = value;
      EXPECT_NEAR(gradient[i].item<double>(), (above - below) / (2 * kStep), 1e-6) << item.key();
    }
  }
}

/// The parts of adapter_layers that a model has.
std::string layersOf(const ModelConfig& config) {
  std::string layers;
  for (const std::string& part : kAdapterLayers)
    if (guarded("adapter",
                [&] { attachAdapters(*makeModel(config, 0), adapterTraining("lora", part), 1); }))
      layers += (layers.empty() ? "" : ",") + part;
  return layers;
}

TEST(LowRankAdapter, MergedIsUnmergedForEveryMechanism) {
  int compared = 0;
  for (const auto& [name, config] : pairings()) {
    SCOPED_TRACE(name);
    const std::string layers = layersOf(config);
    if (layers.empty()) continue;
    ++compared;
    const auto model = makeModel(config, 3);
    model->to(at::kDouble);
    model->eval();
    const at::NoGradGuard noGrad;
    const at::Tensor images =
        at::randn({2, 3, config.imageHeightPixels(), config.imageWidthPixels()}, at::kDouble);
    const at::Tensor before = model->forward(images);
    const auto plain = model->state();
    attachAdapters(*model, adapterTraining("lora", layers), 1);
    EXPECT_TRUE(at::equal(model->forward(images), before)) << "at first it changes nothing";
    stirAdapters(*model);
    const at::Tensor adapted = model->forward(images);
    EXPECT_FALSE(at::equal(adapted, before));
    const auto merged = makeModel(config, 3);
    merged->to(at::kDouble);
    merged->eval();
    copyExactly(merged->state(), mergedLowRank(model->state()), "test");
    EXPECT_TRUE(at::allclose(merged->forward(images), adapted, 1e-8, 1e-10));
  }
  EXPECT_GT(compared, 20);
}

TEST(Adapters, LearnAloneWithTheHeadForEveryMechanism) {
  for (const char* kind : {"lora", "bottleneck"})
    for (const auto& [name, config] : pairings()) {
      SCOPED_TRACE(std::string(kind) + " " + name);
      const std::string layers = layersOf(config);
      const TrainingConfig training = adapterTraining(kind, layers.empty() ? "q" : layers);
      const auto model = makeModel(config, 3);
      if (!guarded("adapter", [&] { attachAdapters(*model, training, 1); })) continue;
      model->train();
      NamedTensors before;
      for (const auto& [parameter, tensor] : model->trainable())
        before.emplace_back(parameter, tensor.detach().clone());
      StepRunner runner(model, at::kCPU, training, 5, 1);
      for (std::int64_t step = 0; step < 2; ++step) {
        Batch batch = sharedBatch(config, 2, step);
        batch.images = batch.images.to(at::kFloat);
        runner.run(batch, step);
      }
      std::size_t moved = 0;
      const auto after = model->trainable();
      for (std::size_t i = 0; i < after.size(); ++i) {
        const bool adapter = isAdapterTensor(after[i].first);
        const bool learns = adapter || isHeadParameter(*model, after[i].first);
        const bool same = at::equal(after[i].second, before[i].second);
        EXPECT_TRUE(learns || same) << after[i].first;
        moved += adapter && !same ? 1 : 0;
      }
      EXPECT_GT(moved, 0u);
    }
}

/// The parameters after two steps of LoRA with dropout.
NamedTensors afterSteps(const ModelConfig& config, const std::string& layers,
                        TrainingConfig training, bool recomputing) {
  training.adapter = "lora";
  training.adapterLayers = layers;
  training.adapterDropout = 0.2;
  const auto model = sharedModel(config);
  attachAdapters(*model, training, 1);
  model->setRecomputing(recomputing);
  StepRunner runner(model, at::kCPU, training, 5, 1);
  for (std::int64_t step = 0; step < 2; ++step)
    runner.run(sharedBatch(config, 4, step), step);
  return model->trainable();
}

TEST(LowRankAdapter, IsTheSameInPartsAndRecomputedForEveryMechanism) {
  int compared = 0;
  for (const auto& [name, config] : pairings()) {
    const std::string layers = layersOf(config);
    bool norms = false;
    for (const auto& buffer : makeModel(config, 3)->named_buffers())
      norms = norms || buffer.key().find("running_mean") != std::string::npos;
    if (layers.empty() || norms) continue;
    SCOPED_TRACE(name);
    ++compared;
    TrainingConfig training = adapterTraining("lora", layers);
    const auto whole = afterSteps(config, layers, training, false),
               again = afterSteps(config, layers, training, true);
    training.accumulate = 2;
    const auto parts = afterSteps(config, layers, training, false);
    for (std::size_t i = 0; i < whole.size(); ++i) {
      EXPECT_TRUE(at::equal(again[i].second, whole[i].second)) << whole[i].first;
      EXPECT_TRUE(at::allclose(parts[i].second, whole[i].second, 0, 1e-9)) << whole[i].first;
    }
  }
  EXPECT_GT(compared, 15);
}

TEST(Adapters, LearnInBfloat16AndStayFloat32) {
  for (const char* kind : {"lora", "bottleneck"}) {
    const ModelConfig config = tinyExperiment().model;
    TrainingConfig training = adapterTraining(kind, "q,v,proj,mlp");
    training.precision = "bfloat16";
    const auto model = makeModel(config, 3);
    attachAdapters(*model, training, 1);
    model->train();
    StepRunner runner(model, at::kCPU, training, 5, 1);
    Batch batch = sharedBatch(config, 4, 0);
    batch.images = batch.images.to(at::kFloat);
    for (std::int64_t step = 0; step < 2; ++step)
      EXPECT_TRUE(std::isfinite(runner.run(batch, step).loss));
    for (const auto& [name, tensor] : model->trainable()) {
      EXPECT_EQ(tensor.scalar_type(), at::kFloat) << name;
      if (name.ends_with(".up") || name.ends_with("up.weight"))
        EXPECT_GT(tensor.abs().max().item<float>(), 0) << name;
    }
  }
}

TEST(Adapters, AreRefusedWhereThereIsNoSuchLayer) {
  ModelConfig config = tinyExperiment().model;
  config.mechanism = "synthesizer";
  config.attention = Json::object();
  config = completed(config, modelCatalog());
  const auto refused = guarded(
      "adapter", [&] { attachAdapters(*makeModel(config, 0), adapterTraining("lora"), 1); });
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().where, "training.adapter_layers");
  EXPECT_NE(refused.error().message.find("it has mlp, proj, v"), std::string::npos)
      << refused.error().text();
  for (const auto& [name, levit] : pairings()) {
    if (levit.backbone != "levit") continue;
    for (const char* kind : {"lora", "bottleneck"}) {
      const auto model = makeModel(levit, 0);
      EXPECT_FALSE(guarded("a", [&] { attachAdapters(*model, adapterTraining(kind), 1); }).ok());
    }
  }
}

TEST(Adapters, DropTheSameInPartsOfABatch) {
  const at::Tensor x = at::ones({4, 3, 8});
  const auto random = holdTorchRandom();
  const auto dropped = [&](std::vector<std::int64_t> rows) {
    const auto count = static_cast<std::int64_t>(rows.size());
    const at::Tensor seen = x.narrow(0, 0, count);
    seedTorch(9);
    const BatchPartScope scope({std::move(rows), 4});
    return rowDropout(seen, 0.5);
  };
  const at::Tensor whole = dropped({0, 1, 2, 3});
  EXPECT_TRUE(at::equal(at::cat({dropped({0, 1}), dropped({2, 3})}), whole));
  EXPECT_GT((whole == 0).sum().item<std::int64_t>(), 20);
  EXPECT_EQ(((whole == 0) | (whole == 2)).sum().item<std::int64_t>(), whole.numel());
  EXPECT_TRUE(rowDropout(x, 0).is_same(x));
}

Experiment adaptedExperiment(const std::string& kind) {
  Experiment experiment = tinyExperiment();
  TrainingConfig& training = experiment.training;
  training.adapter = kind;
  training.adapterRank = 3;
  training.adapterDropout = 0.2;
  training.adapterLayers = "q,v,proj,mlp";
  training.learningRate = 1e-2;
  return experiment;
}

TEST(AdaptedRun, ResumesToTheSameWeights) {
  const TemporaryFolder temporary;
  for (const char* kind : {"lora", "bottleneck"}) {
    const Experiment experiment = adaptedExperiment(kind);
    const auto whole = temporary.path() / kind;
    const auto stopped = temporary.path() / (std::string(kind) + " stopped");
    runToEnd(*begin(experiment, whole));
    ASSERT_TRUE(runUntil(*begin(experiment, stopped), 4));
    runToEnd(*resume(stopped));
    expectSame(lastTensors(whole), lastTensors(stopped));
  }
}

TEST(AdaptedRun, KeepsThemApartAndOpensAsOneModel) {
  const TemporaryFolder temporary;
  for (const char* kind : {"lora", "bottleneck"}) {
    SCOPED_TRACE(kind);
    const auto folder = temporary.path() / kind;
    runToEnd(*begin(adaptedExperiment(kind), folder));
    const auto file = lastTensors(folder);
    const bool low = std::string(kind) == "lora";
    const std::string kept =
        low ? "blocks.0.attn.qkv.lora_q.down" : "blocks.0.mlp.bottleneck.scale";
    EXPECT_TRUE(file.contains(kept));
    EXPECT_FALSE(file.contains("optimizer.first.blocks.0.attn.qkv.weight"));
    ModelSource source;
    source.weights = folder / "last.safetensors";
    const LoadedModel loaded = loadModel(source);
    bool adapters = false;
    for (const auto& item : loaded.model->state())
      adapters = adapters || isAdapterTensor(item.first);
    EXPECT_EQ(adapters, !low);
    // What the trained model itself says.
    const auto trained = makeModel(loaded.model->config(), 0);
    attachAdapters(*trained, adaptedExperiment(kind).training, 1);
    trained->setMasks(loaded.model->masks());
    trained->setLearnedAlphas(loaded.model->learnedAlphas());
    NamedTensors weights;
    for (const auto& item : trained->state())
      weights.emplace_back(item.first, file.at(item.first));
    copyExactly(trained->state(), weights, "test");
    trained->setMasks(loaded.model->masks());
    trained->eval();
    const at::NoGradGuard noGrad;
    const at::Tensor images = at::randn({2, 3, 16, 16});
    EXPECT_TRUE(at::allclose(loaded.model->forward(images), trained->forward(images), 1e-4, 1e-5));
    bool said = false;
    for (const std::string& note : loaded.info.notes)
      said = said || note.find("bottlenecks") != std::string::npos;
    EXPECT_EQ(said, !low);
  }
}

TEST(AdaptedRun, TrainsOnFromWeightsWithBottlenecks) {
  const TemporaryFolder temporary;
  runToEnd(*begin(adaptedExperiment("bottleneck"), temporary.path() / "first"));
  for (Experiment experiment : {tinyExperiment(), adaptedExperiment("bottleneck")}) {
    const std::string& kind = experiment.training.adapter;  // the second has dropout in them
    SCOPED_TRACE(kind);
    experiment.training.weights = (temporary.path() / "first" / "last.safetensors").string();
    runToEnd(*begin(experiment, temporary.path() / (kind + " whole")));
    ASSERT_TRUE(runUntil(*begin(experiment, temporary.path() / (kind + " stopped")), 4));
    runToEnd(*resume(temporary.path() / (kind + " stopped")));
    const auto whole = lastTensors(temporary.path() / (kind + " whole"));
    EXPECT_TRUE(whole.contains("optimizer.first.blocks.0.mlp.bottleneck.up.weight"));
    expectSame(whole, lastTensors(temporary.path() / (kind + " stopped")));
  }
}

TEST(LowRankAdapter, ADamagedOneIsRefused) {
  const auto model = makeModel(tinyExperiment().model, 0);
  attachAdapters(*model, adapterTraining("lora"), 1);
  for (const char* end : {"lora_q.down", "lora_v.scale", "qkv.weight"}) {
    NamedTensors tensors = model->state();
    std::erase_if(tensors, [&](const auto& item) {
      return item.first.starts_with("blocks.1.") && item.first.ends_with(end);
    });
    EXPECT_THROW(mergedLowRank(tensors), Failure) << end;
  }
}

}  // namespace
}  // namespace headlight
