// SPDX-License-Identifier: GPL-3.0-or-later

// Prompts as classes: logits are those of transformers' CLIPModel and SiglipModel.

#include "core/workbench/prompts/PromptHead.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/models/Registry.h"
#include "core/models/text/TextTower.h"
#include "core/workbench/attribution/Explanations.h"
#include "core/workbench/figures/FigurePage.h"
#include "core/workbench/loading/Inspect.h"
#include "core/workbench/loading/LoadedModel.h"
#include "core/workbench/session/ModelAccess.h"
#include "core/workbench/session/RawTensors.h"
#include "tests/models/Golden.h"
#include "tests/workbench/prompts/PromptFolder.h"

namespace headlight {
namespace {

using PromptLines = std::vector<std::string>;

ModelSource promptSource(const PromptFolder& folder, const Prompts& prompts) {
  ModelSource source;
  source.model = folder.path().string();
  source.prompts = prompts;
  source.device = "cpu";
  source.threads = 1;
  return source;
}

/// Whose tokens are those of the vectors: 58 3 9 59 and 58 11 4 59.
const Prompts kTwoPrompts{{"cat nap", "dog run"}, ""};

std::map<std::string, at::Tensor> vectorsOf(const std::string& name) {
  return goldenTensors("transformers/" + name + "/expected.io.safetensors");
}

at::Tensor logitsOf(Model& model, const at::Tensor& images) {
  const at::NoGradGuard noGrad;
  return model.forward(images);
}

double farthest(const at::Tensor& a, const at::Tensor& b) {
  return a.sizes() == b.sizes() ? (a - b).abs().max().item<double>() : 1e9;
}

std::string openingError(const ModelSource& source) {
  const auto opened = InferenceSession::open(source);
  return opened ? "" : opened.error().text();
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// ---- Logits -------------------------------------------------------------------------------------

class ClipPrompts : public testing::TestWithParam<PromptLines> {};

TEST_P(ClipPrompts, GiveTransformersLogits) {
  const PromptFolder folder("clip_full", GetParam());
  const LoadedModel loaded = loadModel(promptSource(folder, kTwoPrompts));
  EXPECT_TRUE(loaded.info.report.complete()) << loaded.info.report.summary();
  auto expected = vectorsOf("clip_full");
  EXPECT_LT(
      farthest(logitsOf(*loaded.model, expected.at("input")), expected.at("logits_per_image")),
      1e-4);
  EXPECT_EQ(loaded.info.classNames, kTwoPrompts.lines);
  EXPECT_EQ(loaded.info.classNamesFrom, ClassNamesFrom::Prompts);
  EXPECT_TRUE(loaded.info.classKeys.empty());
}
INSTANTIATE_TEST_SUITE_P(Files, ClipPrompts,
                         testing::Values(PromptLines{"tokenizer.json"},
                                         PromptLines{"vocab.json", "merges.txt"}));

at::Tensor tokenRow(std::vector<std::int64_t> ids, std::size_t length, std::int64_t pad) {
  ids.resize(length, pad);
  return at::tensor(ids, at::kLong).unsqueeze(0);
}

/// What SiglipModel makes of texts that its processor filled up to all positions.
at::Tensor siglipLogits(std::int64_t pad) {
  auto expected = vectorsOf("siglip_full");
  const TextTowerOptions options{
      .causal = false, .layers = 1, .heads = 2, .normEpsilon = 1e-6, .activation = "gelu_tanh"};
  const TextTower tower(options, goldenFile("transformers/siglip_full/model.safetensors").tensors,
                        "");
  // siglip_micro/cases.json: the numbers of "cat nap" and "dog run".
  const at::Tensor rows = at::cat(
      {tower.embed(tokenRow({3, 9, 1}, 12, pad)), tower.embed(tokenRow({37, 18, 4, 1}, 12, pad))});
  const at::Tensor texts = rows / rows.norm(2, -1, /*keepdim=*/true);
  return std::exp(-0.12060709297657013) *
         at::matmul(expected.at("image_embeds_normalised"), texts.t());
}

TEST(SiglipPrompts, GiveTransformersLogitsOfPaddedTexts) {
  const PromptFolder folder("siglip_full");
  const LoadedModel loaded = loadModel(promptSource(folder, kTwoPrompts));
  EXPECT_TRUE(loaded.info.report.complete()) << loaded.info.report.summary();
  const at::Tensor logits = logitsOf(*loaded.model, vectorsOf("siglip_full").at("input"));
  EXPECT_LT(farthest(logits, siglipLogits(1)), 1e-4);
  EXPECT_TRUE(hasSigmoidScores(loaded.info.experiment.model));
}

TEST(SiglipPrompts, AreFilledUpWithTheTokenizersPadToken) {
  const PromptFolder folder("siglip_full");
  folder.write("tokenizer_config.json", R"({"pad_token": {"content": "<pad>"}})");
  const LoadedModel loaded = loadModel(promptSource(folder, kTwoPrompts));
  const at::Tensor logits = logitsOf(*loaded.model, vectorsOf("siglip_full").at("input"));
  EXPECT_LT(farthest(logits, siglipLogits(0)), 1e-4);
  EXPECT_GT(farthest(logits, siglipLogits(1)), 1e-3);
}

TEST(SiglipPrompts, HaveProbabilitiesOfTheirOwn) {
  const auto top = rankClasses({-1.5F, 0.25F}, {"cat", "dog"}, 2, /*sigmoid=*/true);
  EXPECT_EQ(top[0].name, "dog");
  EXPECT_NEAR(top[0].probability, 1 / (1 + std::exp(-0.25)), 1e-6);
  EXPECT_NEAR(top[1].probability, 1 / (1 + std::exp(1.5)), 1e-6);
}

// ---- Names --------------------------------------------------------------------------------------

/// Datasets know the lines, people read the texts.
TEST(Prompts, OfATemplateAreMatchedByTheirLines) {
  const PromptFolder folder;
  const LoadedModel loaded = loadModel(promptSource(folder, {{"cat", "dog"}, "a photo of a {}"}));
  EXPECT_EQ(loaded.info.classNames, (PromptLines{"a photo of a cat", "a photo of a dog"}));
  EXPECT_EQ(loaded.info.classKeys, (PromptLines{"cat", "dog"}));
}

TEST(Prompts, SayWhatTheModelIsNow) {
  const PromptFolder folder;
  const auto said = [&](const Prompts& prompts) {
    std::string all;
    for (const std::string& note : loadModel(promptSource(folder, prompts)).info.notes)
      all += note + "\n";
    return all;
  };
  EXPECT_TRUE(says(said({}), "compared with texts, not classes"));
  EXPECT_FALSE(says(said(kTwoPrompts), "compared with texts, not classes"));
  EXPECT_FALSE(says(said(kTwoPrompts), "left aside"));
  EXPECT_TRUE(says(said(kTwoPrompts), "2 prompts; probabilities are shares"));
}

// ---- What is missing ----------------------------------------------------------------------------

TEST(TextSide, SaysWhatAFolderHas) {
  const PromptFolder whole, bare("clip_full", {});
  const TextSide side = loadModel(promptSource(whole, {})).info.textSide;
  EXPECT_EQ(side.kind, "CLIP");
  EXPECT_EQ(side.tokenizer, "tokenizer.json");
  EXPECT_EQ(textSideText(side), "text tower of CLIP with tokenizer.json: takes prompts");
  EXPECT_TRUE(loadModel(promptSource(bare, {})).info.textSide.hasTower());
  EXPECT_EQ(valueOrThrow(inspectCheckpoint(whole.path() / "model.safetensors")).textSide.kind,
            "CLIP");
  ModelSource classifier;
  classifier.model = HEADLIGHT_GOLDEN_DIR "/transformers/clip_classify";
  EXPECT_FALSE(loadModel(classifier).info.textSide.hasTower());
}

TEST(TextSide, IsFoundInAFolderOfOpenClip) {
  const TemporaryFolder folder;
  const std::filesystem::path golden = HEADLIGHT_GOLDEN_DIR;
  for (const char* file : {"open_clip_config.json", "open_clip_model.safetensors"})
    std::filesystem::copy_file(golden / "transformers/open_clip" / file, folder / file);
  std::filesystem::copy_file(golden / "text/clip_micro/tokenizer.json", folder / "tokenizer.json");
  ModelSource source;
  source.model = folder.path().string();
  source.prompts = kTwoPrompts;
  const LoadedModel loaded = loadModel(source);
  EXPECT_TRUE(loaded.info.report.complete()) << loaded.info.report.summary();
  EXPECT_EQ(loaded.info.textSide.kind, "CLIP");
  EXPECT_EQ(loaded.info.classNames, kTwoPrompts.lines);
}

TEST(TextSide, SaysWhatIsMissingForPrompts) {
  const PromptFolder bare("clip_full", {});
  EXPECT_TRUE(says(openingError(promptSource(bare, kTwoPrompts)), "tokenizer.json (or vocab.json"));
  ModelSource other;
  other.prompts = kTwoPrompts;
  other.model = HEADLIGHT_GOLDEN_DIR "/transformers/vit_classify";
  EXPECT_TRUE(says(openingError(other), "has no text tower"));
  other.model = "deit_tiny";
  EXPECT_TRUE(says(openingError(other), "has no text tower"));
}

TEST(TextSide, NamesThePromptThatDoesNotFit) {
  const PromptFolder folder;
  const auto error = [&](const Prompts& prompts) {
    return openingError(promptSource(folder, prompts));
  };
  EXPECT_TRUE(says(error({{"cat", "a b c d e f g h i l m n o"}, ""}),
                   "\"a b c d e f g h i l m n o\": has 15 tokens, and the model reads 12"));
  EXPECT_TRUE(says(error({{"<|endoftext|>"}, ""}), "special token"));
  EXPECT_TRUE(says(error({{"cat", "cat"}, ""}), "twice"));
  // A tokenizer of another model.
  const PromptFolder other("clip_full", {});
  std::filesystem::copy_file(HEADLIGHT_GOLDEN_DIR "/text/clip_bytes/tokenizer.json",
                             other.path() / "tokenizer.json");
  EXPECT_TRUE(says(openingError(promptSource(other, kTwoPrompts)), "do not belong together"));
}

// ---- Sessions -----------------------------------------------------------------------------------

Image promptImage() {
  Image image;
  image.width = image.height = 40;
  auto pixels = std::make_shared<std::vector<std::uint8_t>>(3 * 40 * 40);
  for (std::size_t i = 0; i < pixels->size(); ++i)
    (*pixels)[i] = static_cast<std::uint8_t>(i * 37 % 251);
  image.pixels = pixels;
  return image;
}

MaskScheme ownMasks(const InferenceSession& session) {
  const Experiment& experiment = session.info().experiment;
  return valueOrThrow(resolveMasks(experiment.masks, makeMaskShape(experiment.model)));
}

TEST(PromptSession, ChangesItsPromptsAndGoesBack) {
  const PromptFolder folder;
  const auto session = valueOrThrow(InferenceSession::open(promptSource(folder, {})));
  const MaskScheme masks = ownMasks(*session);
  const auto prompted = valueOrThrow(session->withPrompts(kTwoPrompts, masks));
  EXPECT_EQ(prompted->info().prompts, kTwoPrompts);
  const auto result = valueOrThrow(prompted->infer(promptImage(), masks));
  ASSERT_EQ(result.top.size(), 2u);
  EXPECT_NEAR(result.top[0].probability + result.top[1].probability, 1, 1e-6);
  const auto larger = valueOrThrow(prompted->atSize(48, 48, masks));
  EXPECT_EQ(larger->info().prompts, kTwoPrompts);
  EXPECT_EQ(larger->info().classNames, kTwoPrompts.lines);
  const auto again = valueOrThrow(larger->withPrompts({{"cat"}, ""}, masks));
  EXPECT_EQ(again->info().experiment.model.imageHeightPixels(), 48);
  const auto back = valueOrThrow(prompted->withPrompts({}, masks));
  EXPECT_EQ(back->info().experiment.model.classes, 24);
  EXPECT_EQ(*back->digest(), *session->digest());
  EXPECT_NE(*prompted->digest(), *session->digest());
}

/// Other weights may have no text tower; the prompts that are there stay.
TEST(PromptSession, TakesNoPromptsFromOtherWeights) {
  const PromptFolder folder;
  const auto session = valueOrThrow(InferenceSession::open(promptSource(folder, kTwoPrompts)));
  const auto file = folder.path() / "other.safetensors";
  valueOrThrow(session->save(file, ownMasks(*session)));
  valueOrThrow(session->loadWeights(file));
  EXPECT_EQ(session->info().classNames, kTwoPrompts.lines);
  EXPECT_FALSE(session->info().textSide.takesPrompts());
  EXPECT_FALSE(session->withPrompts({{"cat"}, ""}, ownMasks(*session)));
}

TEST(PromptSession, OpensAsItWasSaved) {
  const PromptFolder folder;
  const auto session = valueOrThrow(InferenceSession::open(promptSource(folder, kTwoPrompts)));
  const MaskScheme masks = ownMasks(*session);
  const auto file = folder.path() / "prompted.safetensors";
  valueOrThrow(session->save(file, masks));
  ModelSource source;
  source.weights = file;
  const LoadedModel loaded = loadModel(source);
  EXPECT_EQ(loaded.info.classNames, kTwoPrompts.lines);
  auto expected = vectorsOf("clip_full");
  EXPECT_LT(
      farthest(logitsOf(*loaded.model, expected.at("input")), expected.at("logits_per_image")),
      1e-4);
}

/// A page is of the model as the window had it.
TEST(PromptPage, OpensItsModelWithThePrompts) {
  const PromptFolder folder;
  const auto session = valueOrThrow(InferenceSession::open(promptSource(folder, kTwoPrompts)));
  FigurePage page;
  page.model.weights = (folder.path() / "model.safetensors").string();
  page.model.prompts = kTwoPrompts;
  page.model.experiment = experimentToJson(session->info().experiment);
  const FigurePage read = valueOrThrow(pageFromText(pageToText(page), "page.json"));
  EXPECT_EQ(read.model.prompts, kTwoPrompts);
  const auto opened = openPageModel(read);
  ASSERT_TRUE(opened) << opened.error().text();
  EXPECT_EQ((*opened)->info().classNames, kTwoPrompts.lines);
}

// ---- Explanations -------------------------------------------------------------------------------

/// ∂(logit of a prompt)/∂(image) along a direction, by central differences.
TEST(PromptHead, HasTheGradientOfItsLogits) {
  const PromptFolder folder;
  const LoadedModel loaded = loadModel(promptSource(folder, kTwoPrompts));
  const at::Tensor image = vectorsOf("clip_full").at("input").slice(0, 0, 1).clone();
  at::manual_seed(4);
  const at::Tensor direction = at::randn_like(image);
  at::Tensor leaf = image.clone().requires_grad_(true);
  loaded.model->forward(leaf)[0][1].backward();
  const double slope = (leaf.grad() * direction).sum().item<double>();
  constexpr double kStep = 1e-2;
  const auto at = [&](double step) {
    return logitsOf(*loaded.model, image + step * direction)[0][1].item<double>();
  };
  EXPECT_NEAR(slope, (at(kStep) - at(-kStep)) / (2 * kStep), 0.02 * std::abs(slope) + 1e-3);
}

TEST(PromptHead, IsExplainedByEveryMethodOfAClass) {
  const PromptFolder folder;
  const auto session = valueOrThrow(InferenceSession::open(promptSource(folder, kTwoPrompts)));
  const MaskScheme masks = ownMasks(*session);
  const RawImages image = rawImage(session->info(), promptImage());
  EXPECT_EQ(*classFromText("dog run", session->info()), 1);
  std::vector<float> relevance;
  for (const char* method : {"relevance", "grad-cam", "attention-gradient"}) {
    const auto heatmap =
        imageHeatmap(*session, image, masks, method, {.classIndex = 1, .layer = -1});
    ASSERT_TRUE(heatmap) << heatmap.error().text();
    EXPECT_EQ(heatmap->className, "dog run");
    if (relevance.empty()) relevance = heatmap->values;
  }
  const auto other = imageHeatmap(*session, image, masks, "relevance", {.classIndex = 0});
  EXPECT_NE(other->values, relevance);
}

}  // namespace
}  // namespace headlight
