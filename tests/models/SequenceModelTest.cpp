// SPDX-License-Identifier: GPL-3.0-or-later

// The model of byte sequences: what it may see, its names and sizes, growing it, drawing from it.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/models/sequence/SequenceCost.h"
#include "core/models/sequence/SequenceModel.h"
#include "core/models/sequence/SequenceSampler.h"

namespace headlight {
namespace {

SequenceExperiment smallSequences(const std::string& mechanism) {
  SequenceExperiment experiment;
  experiment.seed = 3;
  experiment.data.kind = "text";
  SequenceModelConfig& model = experiment.model;
  model.mechanism = mechanism;
  model.width = 16;
  model.depth = 2;
  model.mlpRatio = 2;
  model.length = 24;
  model.rank = 4;
  model.window = 6;
  return experiment;
}

const std::vector<std::string> kMechanisms{"softmax",     "aft_full",          "aft_local",
                                           "aft_simple",  "aft_conv",          "performer",
                                           "synthesizer", "linear_transformer"};

bool isAft(const std::string& mechanism) {
  return mechanism.starts_with("aft_");
}

/// A word of what its maps are said to be.
std::string wordOf(const std::string& mechanism) {
  if (isAft(mechanism)) return "Eq. 3";
  if (mechanism == "performer") return "random features";
  if (mechanism == "synthesizer") return "Synthesizer";
  return mechanism == "softmax" ? "Softmax" : "elu(q) + 1";
}

/// Weights large enough for everything to matter.
std::shared_ptr<SequenceModel> stirredModel(const std::string& mechanism) {
  auto model = makeSequenceModel(smallSequences(mechanism));
  const at::NoGradGuard noGrad;
  for (const auto& [name, tensor] : model->trainable())
    if (tensor.dim() > 1) at::Tensor(tensor).normal_(0, 0.3);
  model->eval();
  return model;
}

TEST(SequenceModel, NamesAndShapesAreThoseFromTheConfig) {
  for (const auto& mechanism : kMechanisms)
    for (const bool factorized : {true, false})
      for (const bool query : {true, false}) {
        SequenceExperiment experiment = smallSequences(mechanism);
        experiment.model.factorized = factorized;
        experiment.model.query = query;
        const auto model = makeSequenceModel(experiment);
        std::map<std::string, std::vector<std::int64_t>> made, reported;
        for (const auto& [name, tensor] : model->trainable())
          made[name] = tensor.sizes().vec();
        for (const auto& [name, shape] : sequenceShapes(experiment.model, experiment.length()))
          EXPECT_TRUE(reported.emplace(name, shape).second) << name;
        EXPECT_EQ(made, reported) << mechanism;
        EXPECT_EQ(made.contains("blocks.1.attn.position_u"),
                  (mechanism == "aft_full" || mechanism == "aft_local") && factorized);
        EXPECT_EQ(made.contains("blocks.1.attn.position_gain"), mechanism == "aft_conv");
        EXPECT_EQ(made.contains("blocks.1.attn.q.weight"), isAft(mechanism) && query);
        EXPECT_EQ(made.contains("blocks.1.attn.qkv.weight"),
                  !isAft(mechanism) && mechanism != "synthesizer");
        EXPECT_EQ(made.contains("blocks.1.attn.logit_weight"), mechanism == "synthesizer");
        const ModelCost cost = sequenceCost(experiment);
        std::int64_t parameters = 0;
        for (const auto& [name, tensor] : model->trainable())
          parameters += tensor.numel();
        EXPECT_EQ(cost.parameters, parameters) << mechanism;
      }
}

TEST(SequenceCost, CountsProductsByHand) {
  const auto macsOf = [](const std::string& mechanism) {
    return sequenceCost(smallSequences(mechanism)).macs;
  };
  // T = 24, D = 16, two blocks, an MLP of 32: what all have beside their attention, and the head.
  const std::int64_t shared = 2 * 24 * (16 * 16 + 2 * 16 * 32) + 24 * 16 * 256;
  EXPECT_EQ(macsOf("softmax"), shared + 2 * (24 * 16 * 48 + 2 * 24 * 24 * 16));
  EXPECT_EQ(macsOf("aft_simple"), shared + 2 * 24 * 3 * 16 * 16);
  EXPECT_EQ(macsOf("aft_full"), shared + 2 * (24 * 3 * 16 * 16 + 2 * 24 * 24 * 16));
  EXPECT_EQ(macsOf("aft_local"), shared + 2 * (24 * 3 * 16 * 16 + 2 * 24 * 12 * 16));
  // Four heads, each with one column of K, and six taps.
  EXPECT_EQ(macsOf("aft_conv"), shared + 2 * (24 * (2 * 16 + 4) * 16 + 24 * 6 * (16 + 4)));
  // 4 heads of 4, one chunk: 4 features, or ⌊4 ln 4⌋ = 5.
  EXPECT_EQ(macsOf("linear_transformer"),
            shared + 2 * (24 * 16 * 48 + 2 * 24 * 4 * 16 + 24 * 24 * (16 + 16)));
  EXPECT_EQ(macsOf("performer"),
            shared + 2 * (24 * 16 * 48 + 2 * 24 * 5 * 16 * 2 + 24 * 24 * (20 + 16)));
  EXPECT_EQ(macsOf("synthesizer"), shared + 2 * (24 * 2 * 16 * 16 + 2 * 24 * 24 * 16));
}

TEST(SequenceModel, SynthesizersOfEveryKindAreAsTheirConfigSays) {
  for (const char* synthesis : {"dense", "random", "factorized"}) {
    SequenceExperiment experiment = smallSequences("synthesizer");
    experiment.model.synthesis = synthesis;
    const auto model = makeSequenceModel(experiment);
    std::map<std::string, std::vector<std::int64_t>> made, reported;
    std::int64_t parameters = 0;
    for (const auto& [name, tensor] : model->trainable()) {
      made[name] = tensor.sizes().vec();
      parameters += tensor.numel();
    }
    for (const auto& [name, shape] : sequenceShapes(experiment.model, experiment.length()))
      reported[name] = shape;
    EXPECT_EQ(made, reported) << synthesis;
    EXPECT_EQ(sequenceCost(experiment).parameters, parameters) << synthesis;
  }
}

TEST(SequenceModel, ItsMapsAreThoseOfItsLayers) {
  for (const auto& mechanism : kMechanisms) {
    const auto model = stirredModel(mechanism);
    const at::Tensor bytes = at::randint(0, 256, {2, 24}, at::kLong);
    for (const std::int64_t layer : {0, 1}) {
      const at::Tensor map = model->map(bytes, layer);
      const std::int64_t heads = isAft(mechanism) && mechanism != "aft_conv" ? 1 : 4;
      ASSERT_EQ(map.sizes(), (std::vector<std::int64_t>{2, heads, 24, 24})) << mechanism;
      EXPECT_LT((map.sum(-1) - 1).abs().max().item<double>(), 1e-5) << mechanism;
      EXPECT_EQ(map.triu(1).abs().max().item<double>(), 0) << mechanism;
      EXPECT_GE(map.min().item<double>(), 0) << mechanism;
      // A byte is seen from the row after it on.
      at::Tensor other = bytes.clone();
      other.select(1, 7).copy_((bytes.select(1, 7) + 100).remainder(256));
      const at::Tensor changed = model->map(other, layer);
      EXPECT_LT((map.slice(2, 0, 8) - changed.slice(2, 0, 8)).abs().max().item<double>(), 1e-6);
      EXPECT_FALSE(at::equal(map.slice(2, 8), changed.slice(2, 8))) << mechanism;
    }
    EXPECT_NE(model->mapMeaning().find(wordOf(mechanism)), std::string::npos)
        << model->mapMeaning();
  }
}

TEST(SequenceModel, AByteChangesOnlyWhatComesAfterIt) {
  for (const auto& mechanism : kMechanisms) {
    const auto model = stirredModel(mechanism);
    const at::NoGradGuard noGrad;
    const at::Tensor bytes = at::randint(0, 256, {2, 24}, at::kLong);
    const at::Tensor before = model->forward(bytes);
    for (const std::int64_t t : {0, 7, 22, 23}) {
      at::Tensor other = bytes.clone();
      other.select(1, t).copy_((bytes.select(1, t) + 100).remainder(256));
      const at::Tensor after = model->forward(other);
      EXPECT_TRUE(at::equal(before.slice(1, 0, t + 1), after.slice(1, 0, t + 1)))
          << mechanism << " byte " << t;
      if (t == 23) continue;  // nothing comes after it
      EXPECT_FALSE(at::equal(before.slice(1, t + 1, t + 2), after.slice(1, t + 1, t + 2)))
          << mechanism << " byte " << t;
    }
  }
}

TEST(SequenceModel, GrowingEqualsTheWhole) {
  for (const auto& mechanism : kMechanisms) {
    const auto model = stirredModel(mechanism);
    const at::NoGradGuard noGrad;
    const at::Tensor bytes = at::randint(0, 256, {3, 24}, at::kLong);
    const at::Tensor whole = model->forward(bytes.to(at::kByte));
    SequenceState state;
    at::Tensor symbols = at::full({3}, kStartSymbol, at::kLong);
    for (std::int64_t t = 0; t < 24; ++t) {
      const at::Tensor logits = model->step(symbols, state);
      EXPECT_LT((logits - whole.select(1, t)).abs().max().item<double>(), 1e-4)
          << mechanism << " byte " << t;
      symbols = bytes.select(1, t);
    }
    EXPECT_THROW(model->step(symbols, state), Failure);
    // And a shorter one sees the same.
    EXPECT_LT(
        (model->forward(bytes.slice(1, 0, 5)) - whole.slice(1, 0, 5)).abs().max().item<double>(),
        1e-4);
  }
}

TEST(SequenceModel, EveryParameterGetsAGradient) {
  for (const auto& mechanism : kMechanisms) {
    const auto model = stirredModel(mechanism);
    model->train();
    for (const auto& [name, tensor] : model->trainable())  // taps count by their gain, first 0
      if (name.ends_with("position_gain")) tensor.detach().fill_(0.5);
    const at::Tensor bytes = at::randint(0, 256, {4, 24}, at::kLong);
    const at::Tensor logits = model->forward(bytes);
    at::cross_entropy_loss(logits.reshape({-1, 256}), bytes.reshape({-1})).backward();
    for (const auto& [name, tensor] : model->trainable()) {
      ASSERT_TRUE(tensor.grad().defined()) << mechanism << " " << name;
      // A constant in K of a feature cancels in Eq. 2: its derivative is 0 but for rounding.
      if (name.ends_with(".attn.k.bias")) continue;
      EXPECT_GT(tensor.grad().abs().max().item<double>(), 0) << mechanism << " " << name;
    }
  }
}

TEST(SequenceModel, OnlyLinearMapsDecay) {
  std::set<std::string> decaying;
  for (const auto& [name, tensor] : makeSequenceModel(smallSequences("aft_local"))->trainable())
    if (SequenceModel::decays(name, tensor)) decaying.insert(name);
  EXPECT_EQ(decaying.size(), 2u * 6 + 1);
  EXPECT_TRUE(decaying.contains("head.weight"));
  EXPECT_TRUE(decaying.contains("blocks.0.attn.proj.weight"));
  for (const char* spared : {"embed.weight", "pos_embed", "blocks.0.attn.position_u"})
    EXPECT_FALSE(decaying.contains(spared)) << spared;
}

TEST(SequenceModel, DropoutIsForTrainingAlone) {
  SequenceExperiment experiment = smallSequences("aft_local");
  experiment.model.dropout = 0.5;
  const auto model = makeSequenceModel(experiment);
  const at::NoGradGuard noGrad;
  const at::Tensor bytes = at::randint(0, 256, {1, 24}, at::kLong);
  model->train();
  EXPECT_FALSE(at::equal(model->forward(bytes), model->forward(bytes)));
  model->eval();
  EXPECT_TRUE(at::equal(model->forward(bytes), model->forward(bytes)));
}

TEST(SequenceSampler, DrawsAsTheProbabilitiesSay) {
  std::vector<double> logits(256, -1000.0);
  logits[65] = std::log(0.7);
  logits[66] = std::log(0.2);
  logits[200] = std::log(0.1);
  const auto shareOf = [&](int byte, double temperature) {
    RandomStream stream(9);
    int hits = 0;
    for (int i = 0; i < 20000; ++i)
      hits += sampleByte(logits.data(), temperature, stream) == byte;
    return hits / 20000.0;
  };
  EXPECT_NEAR(shareOf(65, 1), 0.7, 0.02);
  EXPECT_NEAR(shareOf(66, 1), 0.2, 0.02);
  EXPECT_NEAR(shareOf(200, 1), 0.1, 0.02);
  // p^(1/2): the roots, made to sum to 1.
  const double roots = std::sqrt(0.7) + std::sqrt(0.2) + std::sqrt(0.1);
  EXPECT_NEAR(shareOf(200, 2), std::sqrt(0.1) / roots, 0.02);
  EXPECT_EQ(shareOf(65, 0), 1);
}

TEST(SequenceSampler, GrowsAsTheModelDoes) {
  const auto model = stirredModel("aft_local");
  SequenceSampler sampler(model, 2, at::kCPU);
  const at::NoGradGuard noGrad;
  const at::Tensor bytes = at::randint(0, 256, {2, 24}, at::kLong);
  const at::Tensor whole = model->forward(bytes).to(at::kDouble);
  for (int round = 0; round < 2; ++round) {
    for (std::int64_t t = 0; t < 24; ++t) {
      for (std::int64_t b = 0; b < 2; ++b)
        EXPECT_NEAR(sampler.logits(b)[11], whole[b][t][11].item<double>(), 1e-4);
      if (t == 23) break;
      sampler.append({static_cast<std::uint8_t>(bytes[0][t].item<std::int64_t>()),
                      static_cast<std::uint8_t>(bytes[1][t].item<std::int64_t>())});
    }
    sampler.begin();
  }
}

TEST(SequenceSampler, AsManyAtOnceAsMemoryAllows) {
  SequenceModelConfig config;
  config.mechanism = "aft_full";
  config.width = 256;
  config.depth = 24;
  EXPECT_GE(sequencesAtOnce(config, 3072, 64), 1);
  EXPECT_LT(sequencesAtOnce(config, 3072, 64), 64);
  const std::int64_t full = sequencesAtOnce(config, 3072, 64);
  config.mechanism = "softmax";
  EXPECT_EQ(sequencesAtOnce(config, 3072, 64), full);
  config.mechanism = "synthesizer";
  EXPECT_EQ(sequencesAtOnce(config, 3072, 64), full);
  config.mechanism = "linear_transformer";
  EXPECT_EQ(sequencesAtOnce(config, 3072, 64), sequencesAtOnce(config, 100, 64));
  EXPECT_GT(sequencesAtOnce(config, 3072, 64), full);
  config.mechanism = "aft_simple";
  EXPECT_EQ(sequencesAtOnce(config, 3072, 64), 64);
}

}  // namespace
}  // namespace headlight
