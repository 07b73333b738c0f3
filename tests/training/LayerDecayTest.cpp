// SPDX-License-Identifier: GPL-3.0-or-later

// Layer-wise decay of the learning rate: timm's groups, written down again from its patterns, for
// every registered model, and what a step makes of them.

#include "core/training/tuning/LayerDecay.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <regex>
#include <set>
#include <vector>

#include "core/training/step/StepRunner.h"
#include "tests/models/Shrunk.h"
#include "tests/training/SharedSteps.h"
#include "tests/training/Support.h"

namespace headlight {
namespace {

/// An entry of group_matcher(): a pattern, the ordinal of its group, and what follows the numbers
/// that the pattern finds.
struct Matcher {
  std::string pattern;
  double ordinal;
  std::vector<double> suffix;
};

std::vector<Matcher> matchers(const std::string& backbone) {
  const Matcher norm{"norm", 1, {99999}};
  if (backbone == "swin")
    return {{"patch_embed", 0, {}},
            {"layers\\.(\\d+).downsample", 1, {0}},
            {"layers\\.(\\d+)\\.\\w+\\.(\\d+)", 1, {}},
            norm};
  if (backbone == "mvitv2") return {{"patch_embed", 0, {}}, {"stages\\.(\\d+)", 1, {}}, norm};
  if (backbone == "levit")  // not timm's, whose patterns are those of a ViT and find nothing
    return {{"stem", 0, {}},
            {"stages\\.(\\d+).downsample", 1, {0}},
            {"stages\\.(\\d+)\\.\\w+\\.(\\d+)", 1, {}},
            norm};
  return {{"cls_token|pos_embed|patch_embed|dist_token", 0, {}}, {"blocks\\.(\\d+)", 1, {}}, norm};
}

using Ordinals = std::vector<double>;
const Ordinals kUnmatched{std::numeric_limits<double>::infinity()};

/// re.match of every entry in turn.
Ordinals ordinals(const std::string& name, const std::vector<Matcher>& entries) {
  for (const Matcher& entry : entries) {
    std::smatch found;
    if (!std::regex_search(name, found, std::regex(entry.pattern),
                           std::regex_constants::match_continuous))
      continue;
    Ordinals result{entry.ordinal};
    for (std::size_t i = 1; i < found.size(); ++i)
      if (found[i].matched) result.push_back(std::stod(found[i].str()));
    result.insert(result.end(), entry.suffix.begin(), entry.suffix.end());
    return result;
  }
  return kUnmatched;
}

/// timm's CaiT has a function in place of patterns.
Ordinals caitOrdinals(const std::string& name, const ModelConfig& config) {
  for (const char* start : {"cls_token", "pos_embed", "patch_embed"})
    if (name.starts_with(start)) return {0};
  if (name.starts_with("blocks.")) return {std::stod(name.substr(7)) + 1};
  if (name.starts_with("blocks_token_only."))
    return {std::stod(name.substr(18)) + config.depth - config.classDepth + 1};
  return name.starts_with("norm.") ? Ordinals{static_cast<double>(config.depth)} : kUnmatched;
}

Ordinals ordinalsOf(const std::string& name, const ModelConfig& config) {
  if (config.backbone == "cait") return caitOrdinals(name, config);
  if (!name.starts_with("backbone.")) return ordinals(name, matchers(config.backbone));
  const std::string below = name.substr(9);
  std::vector<Matcher> entries{{"stem", 0, {}}, {"stages\\.(\\d+)\\.(\\d+)", 0, {}}};
  for (const Matcher& entry : matchers("vit"))
    entries.push_back(entry);
  return ordinals(below, entries);
}

/// group_with_matcher() and param_groups_layer_decay().
std::map<std::string, double> timmScales(const Model& model, double decay) {
  std::map<Ordinals, std::vector<std::string>> grouping;
  for (const auto& item : model.trainable())
    grouping[ordinalsOf(item.first, model.config())].push_back(item.first);
  std::map<std::string, int> layerOf;
  int lid = -1, last = 0;
  for (const auto& [key, names] : grouping) {
    if (lid < 0 || key.back() != 99999) ++lid;
    for (const std::string& name : names)
      layerOf[name] = lid;
    last = std::max(last, lid);
  }
  std::map<std::string, double> scales;
  for (const auto& [name, layer] : layerOf)
    scales[name] = std::pow(decay, last - layer);
  return scales;
}

TEST(LayerDecay, HasTimmsGroupsForEveryRegisteredModel) {
  std::set<std::string> seen;
  for (const PublishedModel& published : publishedModels()) {
    const ModelConfig config = shrunk(published.config);
    // Of models that differ in sizes alone one is enough.
    const std::string kind = config.backbone + config.mechanism + config.layout.dump() +
                             std::to_string(config.distilled) + std::to_string(config.registers) +
                             std::to_string(config.stages());
    if (!seen.insert(kind).second) continue;
    SCOPED_TRACE(published.name);
    const auto model = makeModel(config, 0);
    const auto own = layerScales(*model, 0.65), expected = timmScales(*model, 0.65);
    ASSERT_EQ(own.size(), expected.size());
    for (const auto& [name, scale] : expected)
      EXPECT_DOUBLE_EQ(own.at(name), scale) << name;
  }
  EXPECT_GT(seen.size(), 15u);
}

/// A stage of MViTv2 is a layer, as in timm.
TEST(LayerDecay, CountsTheStagesOfAnMvit) {
  const ModelConfig config = shrunk(findPublishedModel("mvitv2_micro")->config);
  std::set<int> layers;
  for (const auto& [name, layer] : layerOfParameters(*makeModel(config, 0))) {
    layers.insert(layer);
    if (name.starts_with("patch_embed.")) EXPECT_EQ(layer, 0) << name;
    if (name.starts_with("stages.1.")) EXPECT_EQ(layer, 2) << name;
    if (name.starts_with("head.")) EXPECT_EQ(layer, config.stages() + 1) << name;
  }
  EXPECT_EQ(static_cast<int>(layers.size()), config.stages() + 2);
}

TEST(LayerDecay, CountsAPlainVitAsTimmDoes) {
  ModelConfig config = tinyExperiment().model;  // two blocks
  const auto layers = layerOfParameters(*makeModel(config, 0));
  for (const auto& [name, layer] : std::map<std::string, int>{{"cls_token", 0},
                                                              {"pos_embed", 0},
                                                              {"patch_embed.proj.weight", 0},
                                                              {"blocks.0.attn.qkv.weight", 1},
                                                              {"blocks.1.mlp.fc2.bias", 2},
                                                              {"norm.weight", 2},
                                                              {"head.weight", 3}})
    EXPECT_EQ(layers.at(name), layer) << name;
}

TEST(LayerDecay, MultipliesTheRateOfAStep) {
  const ModelConfig config = tinyExperiment().model;
  const auto trained = [&](double decay) {
    const auto model = sharedModel(config);
    TrainingConfig training;
    training.layerDecay = decay;
    training.optimizer = "sgd";
    training.clipGradient = 0;
    training.warmupEpochs = 0;
    training.learningRate = 0.1;
    StepRunner(model, at::kCPU, training, 5, 1).run(sharedBatch(config, 4, 0), 0);
    return model->trainable();
  };
  const auto start = sharedModel(config);
  const auto before = start->trainable(), full = trained(1), decayed = trained(0.5);
  const auto scales = timmScales(*start, 0.5);
  for (std::size_t i = 0; i < before.size(); ++i) {
    const at::Tensor whole = full[i].second - before[i].second;
    const at::Tensor part = decayed[i].second - before[i].second;
    EXPECT_TRUE(at::allclose(part, whole * scales.at(before[i].first), 0, 1e-12))
        << before[i].first;
  }
}

}  // namespace
}  // namespace headlight
