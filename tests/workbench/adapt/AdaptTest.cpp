// SPDX-License-Identifier: GPL-3.0-or-later

// Teaching a model classes: what is measured is what the taught model then says, features are
// computed once, and what goes in wrong is refused.

#include "core/workbench/adapt/Adapt.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "core/workbench/adapt/LinearHead.h"
#include "core/workbench/adapt/TaughtModel.h"
#include "core/workbench/evaluation/Evaluate.h"
#include "core/workbench/session/Datasets.h"
#include "core/workbench/session/Images.h"
#include "tests/TemporaryFolder.h"
#include "tests/workbench/ExplanationSupport.h"

namespace headlight {
namespace {

AdaptRequest drawnRequest() {
  AdaptRequest request;
  request.data.dataset = kProceduralData;
  request.data.trainSamples = 45;
  request.data.validationSamples = 18;
  request.data.loaderThreads = 0;
  request.options.strengths = "0.1,0.01";
  return request;
}

std::unique_ptr<InferenceSession> adaptSession(const std::string& name) {
  return explanationSession(shrunk(findPublishedModel(name)->config));
}

/// The held-out images, as the drawn dataset has them.
std::vector<Sample> heldSamples(const InferenceSession& session, const DataConfig& data) {
  const Experiment& experiment = session.info().experiment;
  const auto dataset = valueOrThrow(openDataset(
      makeDatasetSpec(data, experiment.model.imageSize, experiment.seed), Split::Validation));
  std::vector<Sample> samples;
  for (std::int64_t i = 0; i < dataset->size(); ++i)
    samples.push_back(valueOrThrow(dataset->sample(i)));
  return samples;
}

/// What the report says of each image is what the taught model says of it, run one by one.
void expectTaughtModelAgrees(InferenceSession& session, const AdaptRequest& request,
                             const MaskScheme& masks) {
  const AdaptReport report = valueOrThrow(adapt(session, masks, request));
  const auto taught = valueOrThrow(withHead(session, report.head, masks, request.data));
  EXPECT_EQ(taught->info().classNames, report.head.classNames);
  EXPECT_EQ(taught->info().experiment.model.classes, 9);
  const auto samples = heldSamples(session, request.data);
  ASSERT_EQ(report.probe.images.size(), samples.size());
  std::int64_t right = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const InferenceResult result = valueOrThrow(taught->infer(samples[i].image, masks));
    const ImageVerdict& verdict = report.probe.images[i];
    ASSERT_EQ(result.logits.size(), 9u);
    EXPECT_EQ(verdict.label, samples[i].label);
    EXPECT_EQ(verdict.predicted, result.top.front().index) << i;
    EXPECT_NEAR(verdict.probability, result.top.front().probability, 2e-3) << i;
    right += result.top.front().index == samples[i].label;
  }
  EXPECT_EQ(report.score.right, right);
  EXPECT_EQ(report.score.images, static_cast<std::int64_t>(samples.size()));
  EXPECT_LT(report.score.interval.low, report.score.top1 + 1e-12);
  EXPECT_GT(report.score.interval.high, report.score.top1 - 1e-12);
}

TEST(Adapting, TheTaughtModelSaysWhatWasMeasured) {
  for (const char* name : {"deit_tiny", "deit_tiny_distilled", "swin_tiny", "levit_128s",
                           "cait_xxs24_224", "convit_tiny"}) {
    SCOPED_TRACE(name);
    ASSERT_NE(findPublishedModel(name), nullptr) << name;
    const auto session = adaptSession(name);
    expectTaughtModelAgrees(*session, drawnRequest(), explanationMasks(*session));
  }
}

TEST(Adapting, EachTokenIsReadFromOneRecord) {
  const auto session = adaptSession("deit_tiny");
  const MaskScheme masks = *makeMaskPreset("sch2", explanationMasks(*session).shape());
  const TemporaryFolder folder;
  AdaptRequest request = drawnRequest();
  request.features.folder = folder.path();
  const std::map<std::string, std::int64_t> widths{
      {"token", 24}, {"mean", 24}, {"both", 48}, {"model", 24}};
  std::int64_t computed = 0;
  for (const auto& [token, width] : widths) {
    SCOPED_TRACE(token);
    request.options.token = token;
    const AdaptReport report = valueOrThrow(adapt(*session, masks, request));
    EXPECT_EQ(report.head.width, width);
    EXPECT_EQ(report.head.token, token == "model" ? "token" : token);
    computed += report.computed;
    expectTaughtModelAgrees(*session, request, masks);
  }
  EXPECT_EQ(computed, 63);  // once, for whichever token came first
}

TEST(Adapting, FeaturesAreThoseOfTheModel) {
  const auto session = adaptSession("deit_tiny");
  AdaptRequest request = drawnRequest();
  const AdaptReport report = valueOrThrow(adapt(*session, explanationMasks(*session), request));
  // The mean of the class tokens of the training images, one by one.
  const Experiment& experiment = session->info().experiment;
  const auto dataset = valueOrThrow(openDataset(
      makeDatasetSpec(request.data, experiment.model.imageSize, experiment.seed), Split::Train));
  at::Tensor sum = at::zeros({24}, at::kDouble);
  withModel(*session, [&](Model& model) {
    model.setMasks(explanationMasks(*session));
    const Preprocessing preprocessing = makePreprocessing(model.config());
    for (std::int64_t i = 0; i < dataset->size(); ++i) {
      const Image view = evaluationView(valueOrThrow(dataset->sample(i)).image, preprocessing);
      std::vector<float> values = normalize(view, preprocessing);
      at::Tensor tokens = model.embed(at::from_blob(values.data(), {1, 3, 32, 32}));
      for (int l = 0; l < model.layers(); ++l)
        tokens = model.block(l, tokens, nullptr);
      sum += model.pooledFeatures(tokens)[0].to(at::kDouble);
    }
  });
  const at::Tensor mean = sum / static_cast<double>(dataset->size());
  for (std::int64_t d = 0; d < 24; ++d)
    EXPECT_NEAR(report.head.mean[static_cast<std::size_t>(d)], mean[d].item<double>(), 1e-4);
}

TEST(Adapting, ComputesFeaturesOnce) {
  const auto session = adaptSession("deit_tiny");
  const MaskScheme masks = explanationMasks(*session);
  const TemporaryFolder folder;
  AdaptRequest request = drawnRequest();
  request.features.folder = folder.path();
  const AdaptReport first = valueOrThrow(adapt(*session, masks, request));
  EXPECT_EQ(first.computed, 63);
  const AdaptReport second = valueOrThrow(adapt(*session, masks, request));
  EXPECT_EQ(second.computed, 0);
  EXPECT_EQ(second.reused, 63);
  EXPECT_EQ(second.head.weight, first.head.weight);
  EXPECT_EQ(second.head.bias, first.head.bias);
  EXPECT_EQ(second.neighbors.right, first.neighbors.right);
  // Its own classifier is no part of the backbone: the taught model's features are the same.
  const auto taught = valueOrThrow(withHead(*session, first.head, masks));
  EXPECT_EQ(valueOrThrow(adapt(*taught, masks, request)).computed, 0);
}

TEST(Adapting, OtherMasksAndOtherWeightsHaveOtherFeatures) {
  const auto session = adaptSession("deit_tiny");
  const MaskScheme none = explanationMasks(*session);
  const MaskScheme masked = *makeMaskPreset("sch3", none.shape());
  const TemporaryFolder folder;
  AdaptRequest request = drawnRequest();
  request.features.folder = folder.path();
  const AdaptReport before = valueOrThrow(adapt(*session, none, request));
  request.previous = before.head;
  const AdaptReport after = valueOrThrow(adapt(*session, masked, request));
  EXPECT_EQ(after.computed, 63);
  EXPECT_NE(after.head.weight, before.head.weight);
  ASSERT_TRUE(after.previous);
  const auto asBefore = valueOrThrow(withHead(*session, before.head, masked));
  std::int64_t right = 0;
  for (const Sample& sample : heldSamples(*session, request.data))
    right += valueOrThrow(asBefore->infer(sample.image, masked)).top.front().index == sample.label;
  EXPECT_EQ(after.previous->right, right);
  const auto other = explanationSession(shrunk(findPublishedModel("deit_tiny")->config), 8);
  request.previous.reset();
  EXPECT_EQ(valueOrThrow(adapt(*other, none, request)).computed, 63);
  request.features = {folder / "own.bin", {}};
  ASSERT_TRUE(adapt(*session, none, request));
  const auto refused = adapt(*other, none, request);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("another model"), std::string::npos);
}

TEST(Adapting, GoesOnWhereItWasStopped) {
  const auto session = adaptSession("deit_tiny");
  const MaskScheme masks = explanationMasks(*session);
  const TemporaryFolder folder;
  AdaptRequest request = drawnRequest();
  request.features.folder = folder.path();
  std::stop_source stop;
  double remaining = -1;
  const auto stopped = adapt(
      *session, masks, request,
      [&](const Progress& progress) {
        if (progress.stage != "computing features" || progress.done == 0) return;
        remaining = progress.secondsRemaining;
        stop.request_stop();
      },
      stop.get_token());
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::Canceled);
  EXPECT_GE(remaining, 0);
  const AdaptReport rest = valueOrThrow(adapt(*session, masks, request));
  EXPECT_EQ(rest.computed, 63 - 32);  // a batch was kept
  EXPECT_EQ(rest.reused, 32);
}

TEST(Adapting, SeveralLayersAreMeasuredAndNotPlaced) {
  const auto session = adaptSession("deit_tiny");
  AdaptRequest request = drawnRequest();
  request.options.layers = 2;
  for (const auto& [token, width] :
       std::map<std::string, std::int64_t>{{"token", 48}, {"mean", 48}, {"both", 72}}) {
    request.options.token = token;
    const AdaptReport report = valueOrThrow(adapt(*session, explanationMasks(*session), request));
    EXPECT_EQ(report.head.width, width) << token;
    EXPECT_FALSE(whyHeadStaysApart(report.head).empty());
    const auto placed = withHead(*session, report.head, explanationMasks(*session));
    ASSERT_FALSE(placed);
    EXPECT_NE(placed.error().message.find("layers 1"), std::string::npos);
  }
}

TEST(Adapting, SavedItIsAnOrdinaryCheckpointInTimmsNames) {
  const auto session = adaptSession("deit_tiny");
  const MaskScheme masks = explanationMasks(*session);
  const AdaptRequest request = drawnRequest();
  const AdaptReport report = valueOrThrow(adapt(*session, masks, request));
  const TemporaryFolder folder;
  const auto path = folder / "taught.safetensors";
  const auto taught = valueOrThrow(withHead(*session, report.head, masks, request.data));
  ASSERT_TRUE(taught->save(path, masks));

  ModelConfig nine = shrunk(findPublishedModel("deit_tiny")->config);
  nine.classes = 9;
  std::map<std::string, std::vector<std::int64_t>> wanted, found;
  const auto model = makeModel(checkedAndCompleted(nine), 0);
  for (const auto& [name, tensor] : model->state())
    wanted[name] = tensor.sizes().vec();
  const Checkpoint saved = valueOrThrow(readCheckpoint(path));
  for (const auto& [name, tensor] : saved.tensors)
    found[name] = tensor.sizes().vec();
  EXPECT_EQ(found, wanted);
  EXPECT_EQ(found["head.weight"], (std::vector<std::int64_t>{9, 24}));
  EXPECT_EQ(found["head.bias"], (std::vector<std::int64_t>{9}));

  EvaluationRequest evaluation;
  evaluation.source.weights = path;
  evaluation.source.device = "cpu";
  evaluation.source.threads = 1;
  evaluation.data = request.data;
  const EvaluationResult measured = valueOrThrow(evaluate(evaluation, {}, {}));
  EXPECT_EQ(measured.images, report.score.images);
  EXPECT_DOUBLE_EQ(measured.top1, report.score.top1);
  EXPECT_NEAR(measured.loss, report.probe.loss, 2e-3);
}

/// Files of a class, each of another gray.
NamedImages grayClass(const TemporaryFolder& folder, const std::string& name, int images, int from,
                      int step = 7) {
  NamedImages one{name, {}};
  for (int i = 0; i < images; ++i) {
    const auto gray = static_cast<std::uint8_t>(from + step * i);
    const Image image{8, 8, std::make_shared<const std::vector<std::uint8_t>>(8 * 8 * 3, gray)};
    one.files.push_back(folder / (name + std::to_string(i) + ".png"));
    const std::string bytes = valueOrThrow(encodePng(image));
    std::ofstream(one.files.back(), std::ios::binary) << bytes;
  }
  return one;
}

TEST(Adapting, TakesClassesThatWereNamedByHand) {
  const TemporaryFolder folder;
  const auto session = adaptSession("deit_tiny");
  AdaptRequest request = drawnRequest();
  request.data.validationFraction = 0.25;
  request.classes = {grayClass(folder, "dark", 8, 0), grayClass(folder, "bright", 8, 180)};
  const AdaptReport report = valueOrThrow(adapt(*session, explanationMasks(*session), request));
  ASSERT_EQ(report.classes.size(), 2u);
  EXPECT_EQ(report.classes[1].name, "bright");
  EXPECT_EQ(report.classes[1].fitted, 6);
  EXPECT_EQ(report.classes[1].held, 2);
  EXPECT_EQ(report.score.images, 4);
}

TEST(Adapting, OneImageAClassLeavesNothingToMeasureOn) {
  const TemporaryFolder folder;
  const auto session = adaptSession("deit_tiny");
  AdaptRequest request = drawnRequest();
  request.classes = {grayClass(folder, "dark", 1, 0), grayClass(folder, "bright", 1, 200)};
  const AdaptReport report = valueOrThrow(adapt(*session, explanationMasks(*session), request));
  EXPECT_EQ(report.score.images, 0);
  EXPECT_TRUE(report.probe.images.empty());
  EXPECT_EQ(adaptScoreText(report.score), "not measured");
  std::string notes;
  for (const std::string& note : report.notes)
    notes += note + "\n";
  for (const char* words : {"No image was held out", "one training image", "L2 penalty"})
    EXPECT_NE(notes.find(words), std::string::npos) << notes;
  const auto taught = withHead(*session, report.head, explanationMasks(*session));
  ASSERT_TRUE(taught);
  for (std::size_t c = 0; c < 2; ++c) {
    const Image image = valueOrThrow(readImage(request.classes[c].files[0]));
    const auto result = valueOrThrow((*taught)->infer(image, explanationMasks(*session)));
    EXPECT_EQ(result.top.front().index, static_cast<int>(c));
  }
}

TEST(Adapting, SaysWhichClassesWereNotMeasured) {
  const TemporaryFolder folder;
  const auto session = adaptSession("deit_tiny");
  AdaptRequest request = drawnRequest();
  request.classes = {grayClass(folder, "dark", 4, 0), grayClass(folder, "middle", 1, 120),
                     grayClass(folder, "bright", 4, 200)};
  const AdaptReport report = valueOrThrow(adapt(*session, explanationMasks(*session), request));
  EXPECT_EQ(report.classes[1].held, 0);
  EXPECT_TRUE(std::any_of(report.notes.begin(), report.notes.end(), [](const std::string& note) {
    return note.find("without held-out images: middle.") != std::string::npos;
  }));
}

std::string refusedText(InferenceSession& session, const AdaptRequest& request) {
  const auto report = adapt(session, explanationMasks(session), request);
  return report ? "nothing was refused" : report.error().text();
}

TEST(Adapting, RefusesWhatCannotBeTaught) {
  const TemporaryFolder folder;
  const auto session = adaptSession("deit_tiny");
  AdaptRequest request = drawnRequest();
  const auto expectWords = [&](const char* words) {
    const std::string text = refusedText(*session, request);
    EXPECT_NE(text.find(words), std::string::npos) << text;
  };
  request.classes = {grayClass(folder, "dark", 3, 0)};
  expectWords("one class cannot be told from another");
  request.classes.push_back({"bright", {}});
  expectWords("\"bright\" has no images");
  request.classes[1] = {"dark", request.classes[0].files};
  expectWords("two classes are called \"dark\"");
  request.classes[1] = {"bright", {folder / "missing.png"}};
  expectWords("no image to learn from that can be read, of: bright");
  request = drawnRequest();
  request.data.dataset = kTextureScenes;
  expectWords("boxes");
  request = drawnRequest();
  request.options.layers = 9;
  expectWords("more than the model's blocks, 3");
}

/// What the window offers to teach, and what is refused here: one rule.
TEST(Adapting, ClassifiersAreTeachableAndNothingThatFindsObjects) {
  ModelInfo info;
  EXPECT_TRUE(isTeachable(info));
  info.experiment.model.layout["object_classes"] = 92;  // a YOLOS is a ViT
  EXPECT_FALSE(isTeachable(info));
  for (const char* backbone : {"lcnet_vit", "vit_segmenter", "mae"}) {
    info.experiment.model = {};
    info.experiment.model.backbone = backbone;
    EXPECT_FALSE(isTeachable(info)) << backbone;
  }
}

TEST(Adapting, RefusesTokensAndModelsThatDoNotHaveThem) {
  AdaptRequest request = drawnRequest();
  request.options.token = "mean";
  EXPECT_NE(refusedText(*adaptSession("swin_tiny"), request).find("plain vision transformers"),
            std::string::npos);
  EXPECT_NE(refusedText(*adaptSession("deit_tiny_distilled"), request).find("distilled"),
            std::string::npos);
}

TEST(Adapting, AHeadOfAnotherModelIsRefused) {
  const auto session = adaptSession("deit_tiny"), other = adaptSession("deit_small");
  const MaskScheme masks = explanationMasks(*session);
  const AdaptReport report = valueOrThrow(adapt(*session, masks, drawnRequest()));
  const auto placed = withHead(*other, report.head, explanationMasks(*other));
  ASSERT_FALSE(placed);
  EXPECT_NE(placed.error().message.find("24 features"), std::string::npos);
}

}  // namespace
}  // namespace headlight
