// SPDX-License-Identifier: GPL-3.0-or-later

// Interventions beside a plain ViT in double precision whose parts are replaced by loops; what must
// come out whatever the numbers; every backbone and mechanism; what is refused.

#include "core/workbench/interventions/Interventions.h"

#include <cmath>
#include <limits>

#include "core/workbench/interventions/PartsHook.h"
#include "tests/models/Pairings.h"
#include "tests/workbench/interventions/InterventionSupport.h"

namespace headlight {
namespace {

using Site = InterventionSite;

constexpr double kClose = 1e-4;

TEST(Interventions, AblateAsTheNaiveModel) {
  const at::NoGradGuard noGrad;
  const InterventionModel model;
  const NaiveVit vit = model.naive();
  const at::Tensor image = explanationTensor(model.image);
  const std::vector<std::vector<Intervention>> sets{
      {{Site::Residual, 1, -1, 4}}, {{Site::Attention, 0}},
      {{Site::Mlp, 2, -1, 0}},      {{Site::Heads, 1, 2}},
      {{Site::Heads, 1, 0, 3}},     {{Site::Pattern, 1, 1, 2}},
      {{Site::Pattern, 0}},         {{Site::Heads, 0, 1}, {Site::Mlp, 1}, {Site::Heads, 0, 2}},
  };
  for (const auto& parts : sets) {
    const auto effect =
        valueOrThrow(intervene(*model.session, model.masks, model.request({}), parts));
    const at::Tensor expected = naiveIntervention(vit, image, parts, {});
    EXPECT_LT(wayDistance(effect.logitsAfter, expected), kClose) << interventionText(parts[0]);
    EXPECT_LT(wayDistance(effect.logitsBefore, vit.logits(image)), kClose);
    EXPECT_GT(wayDistance(effect.logitsAfter, vit.logits(image)), 3 * kClose)
        << interventionText(parts[0]);
    EXPECT_NEAR(effect.value, effect.logitsAfter[effect.facts.classIndex], 1e-6);
    EXPECT_EQ(effect.topBefore[0].index, effect.facts.classIndex);
  }
}

TEST(Interventions, PatchAsTheNaiveModel) {
  const at::NoGradGuard noGrad;
  const InterventionModel model;
  const NaiveVit vit = model.naive();
  const at::Tensor image = explanationTensor(model.image), other = explanationTensor(model.other);
  const NaiveParts ofImage = naiveParts(vit, image), ofOther = naiveParts(vit, other);
  for (const Intervention& part :
       {Intervention{Site::Residual, 2, -1, 0}, Intervention{Site::Attention, 1, -1, 3},
        Intervention{Site::Mlp, 0}, Intervention{Site::Heads, 2, 1},
        Intervention{Site::Pattern, 1, 2}, Intervention{Site::Pattern, 1, 0, 5}}) {
    InterventionOptions options{.replace = "image", .direction = "denoise"};
    const auto denoised =
        valueOrThrow(intervene(*model.session, model.masks, model.request(options), {part}));
    EXPECT_TRUE(denoised.facts.runsOther);
    EXPECT_LT(wayDistance(denoised.logitsAfter, naiveIntervention(vit, other, {part}, ofImage)),
              kClose)
        << interventionText(part);
    options.direction = "noise";
    const auto noised =
        valueOrThrow(intervene(*model.session, model.masks, model.request(options), {part}));
    EXPECT_LT(wayDistance(noised.logitsAfter, naiveIntervention(vit, image, {part}, ofOther)),
              kClose)
        << interventionText(part);
    EXPECT_NEAR(noised.facts.base, denoised.facts.target, 1e-5);
  }
}

/// Every cell of a sweep, and the metric in words.
TEST(Interventions, SweepsAreEveryPartByItself) {
  const at::NoGradGuard noGrad;
  const InterventionModel model;
  const NaiveVit vit = model.naive();
  const at::Tensor image = explanationTensor(model.image), other = explanationTensor(model.other);
  const NaiveParts ofOther = naiveParts(vit, other);
  for (const char* site : {"residual", "attention", "mlp", "heads", "pattern"})
    for (const char* across : {"auto", "tokens", "layers"}) {
      InterventionRequest request = model.request({.site = site,
                                                   .across = across,
                                                   .replace = "image",
                                                   .direction = "noise",
                                                   .metric = "difference"});
      request.classIndex = 2;
      request.against = 5;
      const auto sweep = valueOrThrow(sweepInterventions(*model.session, model.masks, request));
      EXPECT_EQ(sweep.facts.metric, "logit of class 2 minus logit of class 5");
      ASSERT_EQ(sweep.values.size(), 3u);
      for (int l = 0; l < 3; ++l)
        for (std::size_t c = 0; c < sweep.values[l].size(); ++c) {
          const Intervention part = sweepPart(sweep, l, static_cast<int>(c));
          const at::Tensor logits = naiveIntervention(vit, image, {part}, ofOther);
          EXPECT_NEAR(sweep.values[l][c], (logits[2] - logits[5]).item<double>(), 1e-3)
              << interventionText(part);
        }
      const std::string columns = across;
      EXPECT_EQ(sweep.columns(),
                columns == "layers"                                                         ? 1u
                : columns == "tokens" || site[0] == 'r' || site[0] == 'm' || site[0] == 'a' ? 10u
                                                                                            : 3u);
    }
}

/// Restoring all tokens of a layer restores the prediction, whichever layer.
TEST(Interventions, TheWholeResidualRestoresEverything) {
  const InterventionModel model;
  for (const char* direction : {"denoise", "noise"}) {
    const auto sweep = valueOrThrow(sweepInterventions(*model.session, model.masks,
                                                       model.request({.site = "residual",
                                                                      .across = "layers",
                                                                      .replace = "image",
                                                                      .direction = direction,
                                                                      .metric = "probability"})));
    ASSERT_TRUE(sweep.hasShares());
    for (const auto& row : sweep.effects())
      EXPECT_NEAR(row[0], 1, 1e-3) << direction;
  }
}

TEST(Interventions, MeansAreOverImagesTokenByToken) {
  const at::NoGradGuard noGrad;
  const InterventionModel model;
  const NaiveVit vit = model.naive();
  std::vector<Image> images;
  for (int i = 0; i < 3; ++i) {
    auto pixels = std::make_shared<std::vector<std::uint8_t>>();
    for (int j = 0; j < 24 * 24 * 3; ++j)
      pixels->push_back(static_cast<std::uint8_t>((j * (7 + 5 * i) + 31 * i) % 256));
    images.push_back({24, 24, pixels});
  }
  NaiveParts mean;
  for (const Image& image : images)
    for (const auto& [name, value] :
         naiveParts(vit, explanationTensor(rawImage(model.session->info(), image)))) {
      at::Tensor& sum = mean[name];
      sum = sum.defined() ? sum + value / 3 : value / 3;
    }
  InterventionRequest request = model.request({.replace = "mean"});
  request.images.count = 3;
  request.images.read = [&](std::int64_t index) -> Result<SourceImage> {
    return SourceImage{images[static_cast<std::size_t>(index)]};
  };
  for (const Intervention& part : {Intervention{Site::Heads, 1, 1}, Intervention{Site::Mlp, 0},
                                   Intervention{Site::Pattern, 2, 0}}) {
    const auto effect = valueOrThrow(intervene(*model.session, model.masks, request, {part}));
    const at::Tensor expected =
        naiveIntervention(vit, explanationTensor(model.image), {part}, mean);
    EXPECT_LT(wayDistance(effect.logitsAfter, expected), kClose) << interventionText(part);
  }
}

TEST(Interventions, ChangeOnlyWhatFollows) {
  const InterventionModel model;
  const auto effect = valueOrThrow(
      intervene(*model.session, model.masks, model.request({}), {{Site::Heads, 1, 0}}));
  ASSERT_EQ(effect.mapChange.size(), 3u);
  for (const double change : effect.mapChange[0])
    EXPECT_EQ(change, 0);
  EXPECT_EQ(effect.tokenChange[0], 0);
  for (const double change : effect.mapChange[1])
    EXPECT_EQ(change, 0);
  EXPECT_GT(effect.tokenChange[1], 0);
  for (const double change : effect.mapChange[2]) {
    EXPECT_GT(change, 0);
    EXPECT_LE(change, 1);
  }
}

/// Without a replacement a hook changes no bit; heads set to 0 are a projection without weights.
TEST(Interventions, HookOfEveryBackboneAndMechanism) {
  const at::NoGradGuard noGrad;
  int replaced = 0;
  for (const auto& [name, config] : costlyPairings()) {
    const auto session = explanationSession(config);
    withModel(*session, [&, name = name](Model& model) {
      const at::Tensor tokens = model.embed(explanationTensor(explanationImage(model.config())));
      const at::Tensor plain = model.block(0, tokens, nullptr).clone();
      PartsHook hook(model.heads(0), PartsHook::Keep::Parts);
      EXPECT_TRUE(at::equal(hook.run(model, 0, tokens), plain)) << name;
      at::Tensor weight = model.attention(0).headProjection().weight;
      if (!weight.defined() || !hook.kept().heads.defined()) return;
      PartsHook silent(model.heads(0), PartsHook::Keep::Nothing);
      silent.replace({Site::Heads, {}, {PartPlace{0}}});
      const at::Tensor without = silent.run(model, 0, tokens).clone();
      weight.zero_();
      const at::Tensor expected = model.block(0, tokens, nullptr);
      EXPECT_LT((without - expected).abs().max().item<double>(),
                1e-4 * (1 + expected.abs().max().item<double>()))
          << name;
      ++replaced;
    });
  }
  EXPECT_GT(replaced, 20);
}

TEST(Interventions, RefuseWhatThereIsNot) {
  const InterventionModel model;
  const auto refused = [&](const InterventionRequest& request, const Intervention& part) {
    const auto outcome = intervene(*model.session, model.masks, request, {part});
    return outcome ? std::string() : outcome.error().text();
  };
  const InterventionRequest plain = model.request({});
  EXPECT_NE(refused(plain, {Site::Heads, 3}).find("layer"), std::string::npos);
  EXPECT_NE(refused(plain, {Site::Heads, 0, 3}).find("no head 3"), std::string::npos);
  EXPECT_NE(refused(plain, {Site::Mlp, 0, -1, 10}).find("no token 10"), std::string::npos);
  InterventionRequest asked = plain;
  asked.classIndex = 7;
  EXPECT_NE(refused(asked, {Site::Mlp, 0}).find("class"), std::string::npos);
  asked = model.request({.metric = "difference"});
  asked.classIndex = asked.against = 1;
  EXPECT_NE(refused(asked, {Site::Mlp, 0}).find("second class"), std::string::npos);
  asked = model.request({.replace = "image"});
  asked.other = {};
  EXPECT_NE(refused(asked, {Site::Mlp, 0}).find("other image"), std::string::npos);
  EXPECT_NE(refused(model.request({.replace = "mean"}), {Site::Mlp, 0}).find("average"),
            std::string::npos);
  EXPECT_FALSE(intervene(*model.session, model.masks, plain, {}));
  EXPECT_FALSE(sweepInterventions(*model.session, model.masks,
                                  model.request({.site = "mlp", .across = "heads"})));
  std::stop_source stopped;
  stopped.request_stop();
  const auto canceled =
      sweepInterventions(*model.session, model.masks, plain, {}, stopped.get_token());
  ASSERT_FALSE(canceled);
  EXPECT_EQ(canceled.error().code, ErrorCode::Canceled);
}

TEST(Interventions, AttentionThatIsNotWeightsTimesValuesIsRefused) {
  ModelConfig config = microVit();
  config.mechanism = "talking_heads";
  config.attention = Json::object();
  const InterventionModel model(checkedAndCompleted(config));
  const auto outcome =
      intervene(*model.session, model.masks, model.request({}), {{Site::Pattern, 0, 1}});
  ASSERT_FALSE(outcome);
  EXPECT_NE(outcome.error().text().find("pattern:0"), std::string::npos);
  EXPECT_TRUE(intervene(*model.session, model.masks, model.request({}), {{Site::Heads, 0, 1}}));
}

TEST(Interventions, PartsAreReadAndWritten) {
  for (const char* text : {"heads:3.1", "mlp:4@0", "residual:0", "pattern:11.2@196"})
    EXPECT_EQ(interventionText(valueOrThrow(interventionFromText(text))), text);
  for (const char* text : {"", "heads", "heads:", "heads:-1", "mlp:1.0", "heads:1.", "heads:1@x",
                           "norm:1", "heads:1.2.3", "heads:99999999999"})
    EXPECT_FALSE(interventionFromText(text)) << text;
}

TEST(Interventions, SweepsAreSortedAndWritten) {
  InterventionSweep sweep;
  sweep.options.across = "heads";
  sweep.facts.base = 1;
  sweep.facts.target = 3;
  sweep.values = {{1, 2}, {3, -5}};
  EXPECT_TRUE(sweep.hasShares());
  EXPECT_DOUBLE_EQ(sweep.effects()[1][1], -3);
  const auto strongest = strongestParts(sweep, 2);
  ASSERT_EQ(strongest.size(), 2u);
  EXPECT_EQ(interventionText(strongest[0]), "heads:1.1");
  EXPECT_EQ(interventionText(strongest[1]), "heads:1.0");
  EXPECT_EQ(sweepCsv(sweep), "layer,head,value,effect\n0,0,1,0\n0,1,2,0.5\n1,0,3,1\n1,1,-5,-3\n");
  sweep.facts.target = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(sweep.hasShares());
  EXPECT_DOUBLE_EQ(sweep.effects()[1][1], -6);
}

}  // namespace
}  // namespace headlight
