// SPDX-License-Identifier: GPL-3.0-or-later

// The α that soft masks have learned, from the weights to whoever asks.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/models/backbones/Model.h"
#include "core/workbench/loading/LoadedModel.h"
#include "core/workbench/session/ModelAccess.h"
#include "tests/TemporaryFolder.h"

namespace headlight {
namespace {

Experiment softExperiment() {
  Experiment experiment;
  experiment.device = "cpu";
  experiment.threads = 1;
  experiment.model.imageSize = 32;
  experiment.model.patchSize = 8;
  experiment.model.width = 16;
  experiment.model.depth = 2;
  experiment.model.heads = 2;
  experiment.model.classes = 3;
  experiment.masks.scheme = "mine";
  experiment.masks.cells = {{}, {*headMaskFromText("none"), *headMaskFromText("soft:3@0.5")}};
  return experiment;
}

MaskScheme masksOf(const ModelInfo& info) {
  return valueOrThrow(resolveMasks(info.experiment.masks, MaskShape(info.heads)));
}

/// The only soft head's logit becomes 1: α = 0.731.
std::unique_ptr<InferenceSession> learnedSession() {
  auto session = valueOrThrow(InferenceSession::create(softExperiment()));
  withModel(*session, [](Model& model) {
    for (auto& [name, tensor] : model.trainable())
      if (name == "blocks.1.attn.soft_mask_logit") tensor.fill_(1.0);
  });
  return session;
}

constexpr float kLearned = 0.7310586f;

void expectLearned(const SoftAlphas& alphas) {
  ASSERT_EQ(alphas.size(), 2u);
  EXPECT_TRUE(std::isnan(alphas[0][0]) && std::isnan(alphas[0][1]) && std::isnan(alphas[1][0]));
  EXPECT_NEAR(alphas[1][1], kLearned, 1e-6);
}

TEST(SoftAlphas, OfAFileAndOfASessionAreWhatTheWeightsSay) {
  const TemporaryFolder folder;
  const auto session = learnedSession();
  expectLearned(valueOrThrow(session->softAlphas(masksOf(session->info()))));
  valueOrThrow(session->save(folder / "w.safetensors", masksOf(session->info())));
  expectLearned(valueOrThrow(readSoftAlphas(folder / "w.safetensors")));

  ModelSource source;
  source.weights = folder / "w.safetensors";
  source.device = "cpu";
  const auto opened = valueOrThrow(InferenceSession::open(source));
  expectLearned(opened->info().alphas);
  const Image gray{40, 40, std::make_shared<const std::vector<std::uint8_t>>(40 * 40 * 3, 90)};
  expectLearned(valueOrThrow(opened->infer(gray, masksOf(opened->info()))).alphas);

  // Weights that are loaded into a model bring theirs.
  const auto fresh = valueOrThrow(InferenceSession::create(softExperiment()));
  EXPECT_NEAR(fresh->info().alphas[1][1], 0.5, 1e-6);
  valueOrThrow(fresh->loadWeights(folder / "w.safetensors"));
  expectLearned(fresh->info().alphas);
}

TEST(SoftAlphas, AreALineForEachLayerWithSoftHeads) {
  const float none = std::nanf("");
  EXPECT_EQ(
      softAlphaLines({{none, none}, {0.5f, none, 0.61149f}, {}, {0.25f}}),
      (std::vector<std::string>{"layer 1: head 0 0.500, head 2 0.611", "layer 3: head 0 0.250"}));
}

}  // namespace
}  // namespace headlight
