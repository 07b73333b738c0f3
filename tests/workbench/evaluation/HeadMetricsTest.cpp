// SPDX-License-Identifier: GPL-3.0-or-later

// The door to measures of heads: of an image, over a dataset, and conditions on them.

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "core/analysis/HeadStatistics.h"
#include "core/models/Registry.h"
#include "core/training/Evaluation.h"
#include "core/workbench/evaluation/HeadImportance.h"
#include "core/workbench/evaluation/HeadMetrics.h"
#include "core/workbench/loading/LoadedModel.h"
#include "core/workbench/session/Datasets.h"
#include "core/workbench/session/Images.h"
#include "core/workbench/session/ModelAccess.h"
#include "tests/models/Pairings.h"

namespace headlight {
namespace {

using M = HeadMetric;

Experiment smallExperiment(const std::string& published) {
  Experiment experiment;
  experiment.model = shrunk(findPublishedModel(published)->config);
  experiment.model.classes = 9;  // of texture-shape
  experiment.device = "cpu";
  experiment.threads = 1;
  experiment.data.validationSamples = 18;
  experiment.data.loaderThreads = 0;
  return experiment;
}

std::unique_ptr<InferenceSession> sessionOf(const Experiment& experiment) {
  auto session = valueOrThrow(InferenceSession::create(experiment));
  withModel(*session, [](Model& model) {  // heads that matter
    at::manual_seed(2);
    for (const auto& [name, tensor] : model.trainable())
      if (tensor.dim() > 1) at::Tensor(tensor).normal_(0, 0.2);
  });
  return session;
}

std::unique_ptr<Dataset> imagesOf(const Experiment& experiment, std::int64_t samples) {
  DatasetSpec spec = makeDatasetSpec(experiment.data, experiment.model.imageSize, experiment.seed);
  spec.maxValidationSamples = samples;
  return valueOrThrow(openDataset(spec, Split::Validation));
}

MaskScheme noMasks(const InferenceSession& session) {
  return MaskScheme(makeMaskShape(session.info().experiment.model));
}

TEST(HeadMetrics, EachIsFoundByItsName) {
  std::set<std::string> names;
  for (const HeadMeasureInfo& info : headMeasures()) {
    EXPECT_EQ(findInfo(info.measure).name, info.name);
    EXPECT_EQ(*headMeasureFromName(info.name), info.measure);
    EXPECT_FALSE(info.title.empty() || info.larger.empty() || info.help.empty()) << info.name;
    EXPECT_TRUE(names.insert(info.name).second);
  }
  const auto unknown = headMeasureFromName("ALS");
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().message.find("als, entropy"), std::string::npos);
}

TEST(HeadMetrics, AConditionIsAMeasureASignAndANumber) {
  const auto below = headConditionFromText("als<0.2");
  ASSERT_TRUE(below);
  EXPECT_EQ(below->measure, M::Locality);
  EXPECT_TRUE(below->holds(0.19));
  EXPECT_FALSE(below->holds(0.2));
  EXPECT_FALSE(below->holds(std::nan("")));
  EXPECT_TRUE(headConditionFromText("entropy<=0.5")->holds(0.5));
  EXPECT_FALSE(headConditionFromText("importance>-1e-3")->holds(-1e-3));
  EXPECT_TRUE(headConditionFromText("distance>=80")->holds(80));
  for (const char* wrong : {"", "als", "als<", "als=0.2", "<0.2", "als<0,2", "als<x", "size<1",
                            "als<nan", "als<0.2 ", "als<<1", "als<1e999"})
    EXPECT_FALSE(headConditionFromText(wrong)) << wrong;
}

TEST(HeadMetrics, HeadsAreChosenAndSortedByValue) {
  HeadValues values;
  values.values = {{0.5, std::nan(""), 0.1}, {0.5, 0.9}};
  EXPECT_EQ(headsWhere(values, *headConditionFromText("als<=0.5")),
            (std::vector<HeadPlace>{{0, 0}, {0, 2}, {1, 0}}));
  EXPECT_EQ(sortedHeads(values), (std::vector<HeadPlace>{{1, 1}, {0, 0}, {1, 0}, {0, 2}}));
}

TEST(HeadMetrics, OfAnImageAreThoseOfItsMaps) {
  const auto session = sessionOf(smallExperiment("deit_tiny"));
  const auto dataset = imagesOf(session->info().experiment, 9);
  const Image image = valueOrThrow(dataset->sample(3)).image;
  const MaskScheme masks = noMasks(*session);
  const InferenceResult inference = valueOrThrow(session->infer(image, masks));
  const auto als = valueOrThrow(measureHeadMetrics(*session, image, masks, M::Locality));
  const auto entropy = valueOrThrow(measureHeadMetrics(*session, image, masks, M::Entropy));
  const auto distance = valueOrThrow(measureHeadMetrics(*session, image, masks, M::Distance));
  for (std::size_t l = 0; l < inference.maps.layers.size(); ++l) {
    const auto entropies = attentionEntropies(inference.maps.layers[l]);
    const auto distances = attentionDistances(inference.maps.layers[l], {8, 8});
    for (std::size_t h = 0; h < entropies.size(); ++h) {
      EXPECT_EQ(als.values[l][h], inference.locality[l][h]);
      EXPECT_EQ(entropy.values[l][h], entropies[h]);
      EXPECT_EQ(distance.values[l][h], distances[h]);
    }
    EXPECT_EQ(als.chance[l], uniformLocality(inference.maps.layers[l].grid));
    EXPECT_EQ(entropy.chance[l], 1);
    EXPECT_EQ(distance.chance[l], uniformDistance(inference.maps.layers[l].grid, {8, 8}));
  }
  EXPECT_EQ(als.images, 1);
  EXPECT_EQ(als.note, "");
  EXPECT_FALSE(computeHeadValues(inference, session->info(), M::Importance));
  EXPECT_FALSE(computeHeadValues(InferenceResult{}, session->info(), M::Entropy));
}

TEST(HeadMetrics, OverADataSetAreMeansOverItsImages) {
  const auto session = sessionOf(smallExperiment("deit_tiny"));
  const Experiment& experiment = session->info().experiment;
  const auto dataset = imagesOf(experiment, 11);
  ASSERT_EQ(dataset->size(), 11);  // one more than a batch, and unevenly so
  MaskScheme masks = noMasks(*session);
  masks.set(0, 1, {MaskKind::Hard, 3});
  const auto found = measureHeadMetrics(*session, {experiment.data, 11}, masks,
                                        {M::Entropy, M::Locality, M::ImportanceFirstOrder});
  ASSERT_TRUE(found) << found.error().text();
  ASSERT_EQ(found->size(), 3u);
  HeadTable entropy(3, std::vector<double>(3, 0.0)), locality = entropy;
  std::vector<double> ofOneHead;
  for (std::int64_t i = 0; i < dataset->size(); ++i) {
    const Image image = valueOrThrow(dataset->sample(i)).image;
    const auto add = [&](HeadTable& sums, M measure) {
      const auto one = valueOrThrow(measureHeadMetrics(*session, image, masks, measure));
      for (int l = 0; l < 3; ++l)
        for (int h = 0; h < 3; ++h)
          sums[l][h] += one.values[l][h] / 11;
      if (measure == M::Entropy) ofOneHead.push_back(one.values[1][2]);
    };
    add(entropy, M::Entropy);
    add(locality, M::Locality);
  }
  for (int l = 0; l < 3; ++l)
    for (int h = 0; h < 3; ++h) {
      EXPECT_NEAR((*found)[0].values[l][h], entropy[l][h], 1e-5);
      EXPECT_NEAR((*found)[1].values[l][h], locality[l][h], 1e-5);
      EXPECT_GE((*found)[2].values[l][h], 0);
    }
  EXPECT_EQ((*found)[0].images, 11);
  EXPECT_TRUE(std::isnan((*found)[2].chance[0]));
  double squares = 0;
  for (const double value : ofOneHead)
    squares += (value - entropy[1][2]) * (value - entropy[1][2]);
  EXPECT_NEAR((*found)[0].deviations[1][2], std::sqrt(squares / 10), 1e-5);
  EXPECT_TRUE((*found)[2].deviations.empty());  // an importance is of the mean loss
}

/// Images without labels: what can be read is averaged, what needs classes is refused.
TEST(HeadMetrics, OverAnyImagesAreMeansOverThoseThatCanBeRead) {
  const auto session = sessionOf(smallExperiment("deit_tiny"));
  const auto dataset = imagesOf(session->info().experiment, 4);
  MaskScheme masks = noMasks(*session);
  masks.set(0, 1, {MaskKind::Hard, 3});
  std::vector<Image> images;
  for (std::int64_t i = 0; i < 3; ++i)
    images.push_back(valueOrThrow(dataset->sample(i)).image);
  ImageSource feed;
  feed.count = 4;
  feed.of = "four files";
  feed.read = [&](std::int64_t i) -> Result<SourceImage> {
    if (i == 1) return Error{ErrorCode::InvalidFile, "is damaged", "b.png"};
    return SourceImage{images[static_cast<std::size_t>(i == 0 ? 0 : i - 1)]};
  };
  const auto found =
      valueOrThrow(measureHeadMetrics(*session, feed, masks, {M::Distance, M::Alpha, M::Entropy}));
  EXPECT_EQ(fedText(found.fed), "3 images (1 could not be read), four files");
  ASSERT_EQ(found.values.size(), 3u);
  std::vector<double> ones;
  for (const Image& image : images)
    ones.push_back(
        valueOrThrow(measureHeadMetrics(*session, image, masks, M::Distance)).values[0][1]);
  const double mean = (ones[0] + ones[1] + ones[2]) / 3;
  double squares = 0;
  for (const double one : ones)
    squares += (one - mean) * (one - mean);
  EXPECT_NEAR(found.values[0].values[0][1], mean, 1e-5);
  EXPECT_NEAR(found.values[0].deviations[0][1], std::sqrt(squares / 2), 1e-5);
  EXPECT_EQ(found.values[0].images, 3);
  EXPECT_TRUE(std::isfinite(found.values[0].chance[0]));
  EXPECT_EQ(found.values[2].measure, M::Entropy);
  const auto refused = measureHeadMetrics(*session, feed, masks, {M::Importance});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text().find("needs class labels"), std::string::npos);
  std::stop_source stopped;
  stopped.request_stop();
  EXPECT_EQ(
      measureHeadMetrics(*session, feed, masks, {M::Entropy}, {}, stopped.get_token()).error().code,
      ErrorCode::Canceled);
}

TEST(HeadMetrics, OverTheMapsOfAFileAreMeansToo) {
  const std::filesystem::path file =
      std::filesystem::path(HEADLIGHT_GOLDEN_DIR) / "maps_from_hook.safetensors";
  ModelSource source;
  source.model = file.string();
  const auto session = valueOrThrow(InferenceSession::open(source));
  const std::int64_t images = session->info().images;
  ASSERT_GT(images, 1);
  const auto found = valueOrThrow(
      measureHeadMetrics(*session, feedOfMaps(*session), noMasks(*session), {M::Entropy}));
  double sum = 0;
  for (int i = 0; i < images; ++i) {
    const Image image = valueOrThrow(feedOfMaps(*session, i).read(0)).image;
    sum += valueOrThrow(measureHeadMetrics(*session, image, noMasks(*session), M::Entropy))
               .values[1][0];
  }
  EXPECT_NEAR(found.values[0].values[1][0], sum / static_cast<double>(images), 1e-9);
  EXPECT_EQ(found.values[0].images, images);
}

TEST(HeadMetrics, ImportanceOverADataSetIsTheRiseOfItsLoss) {
  const auto session = sessionOf(smallExperiment("deit_tiny"));
  const Experiment& experiment = session->info().experiment;
  const MaskScheme masks = noMasks(*session);
  const auto found =
      valueOrThrow(measureHeadMetrics(*session, {experiment.data, 10}, masks, {M::Importance}));
  const std::shared_ptr<const Dataset> dataset = imagesOf(experiment, 10);
  const auto lossWithout = [&](int layer, int head) {
    double loss = 0;
    withModel(*session, [&](Model& model) {
      model.setMasks(masks);
      std::optional<SilentHead> silent;
      if (layer >= 0)
        silent.emplace(model.attention(layer).headProjection().weight, head, model.heads(layer));
      SharedBatches batches(
          evaluationLoader(dataset, makePreprocessing(experiment.model), 5, /*threads=*/0));
      loss = valueOrThrow(evaluateModel(model, batches, {})).loss;
    });
    return loss;
  };
  const double whole = lossWithout(-1, 0);
  for (int l = 0; l < 3; ++l)
    for (int h = 0; h < 3; ++h)
      EXPECT_NEAR(found[0].values[l][h], lossWithout(l, h) - whole, 1e-5);
}

TEST(HeadMetrics, AnImportanceSaysOfWhat) {
  const auto session = sessionOf(smallExperiment("deit_tiny"));
  const auto dataset = imagesOf(session->info().experiment, 9);
  const Image image = valueOrThrow(dataset->sample(0)).image;
  const auto found = measureHeadMetrics(*session, image, noMasks(*session), M::Importance);
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(found->note.find("of the probability of class "), 0u) << found->note;
  EXPECT_FALSE(measureHeadMetrics(*session, Image{}, noMasks(*session), M::Importance));
  EXPECT_FALSE(measureHeadMetrics(*session, image, MaskScheme(2, 2), M::Importance));

  const auto levit = sessionOf(smallExperiment("levit_128"));
  const auto first = measureHeadMetrics(*levit, image, noMasks(*levit), M::ImportanceFirstOrder);
  ASSERT_TRUE(first) << first.error().text();
  EXPECT_NE(first->note.find("hard-swish"), std::string::npos) << first->note;
}

TEST(HeadMetrics, MapsThatAreNoDistributionAreSaidToBePrepared) {
  const auto session = sessionOf(smallExperiment("vit_lsla"));
  const auto dataset = imagesOf(session->info().experiment, 9);
  const Image image = valueOrThrow(dataset->sample(0)).image;
  const auto entropy =
      valueOrThrow(measureHeadMetrics(*session, image, noMasks(*session), M::Entropy));
  EXPECT_EQ(entropy.note, "signed maps clamped at 0, rows normalized");
  const auto cait = sessionOf(smallExperiment("cait_xxs24_224"));
  const auto als = valueOrThrow(measureHeadMetrics(*cait, image, noMasks(*cait), M::Locality));
  EXPECT_NE(als.note.find("class attention of the last 2 layers"), std::string::npos) << als.note;
  EXPECT_EQ(als.values.back()[0], 1);
}

TEST(HeadMetrics, AlphaIsWhatSoftMasksLearned) {
  const auto session = sessionOf(smallExperiment("deit_tiny"));
  MaskScheme masks = noMasks(*session);
  masks.set(2, 1, {MaskKind::Soft, 3, 0.25});
  const auto found =
      measureHeadMetrics(*session, {session->info().experiment.data, 9}, masks, {M::Alpha});
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_NEAR((*found)[0].values[2][1], 0.25, 1e-6);
  EXPECT_TRUE(std::isnan((*found)[0].values[2][0]));
  EXPECT_EQ((*found)[0].images, 0);
}

TEST(HeadMetrics, TheSessionIsFreeWhileADataSetIsMeasured) {
  const auto session = sessionOf(smallExperiment("deit_tiny"));
  const Experiment& experiment = session->info().experiment;
  const auto dataset = imagesOf(experiment, 9);
  const Image image = valueOrThrow(dataset->sample(0)).image;
  MaskScheme other = noMasks(*session);
  other.set(0, 0, {MaskKind::Hard, 3});
  const auto calm = valueOrThrow(
      measureHeadMetrics(*session, {experiment.data, 9}, noMasks(*session), {M::Importance}));
  // Others look under other masks, and even take the weights away: what is measured stays.
  int inferences = 0;
  const auto busy = measureHeadMetrics(*session, {experiment.data, 9}, noMasks(*session),
                                       {M::Importance}, [&](const Progress& step) {
                                         EXPECT_LE(step.done, step.total);
                                         EXPECT_TRUE(session->infer(image, other));
                                         withModel(*session, [](Model& model) {
                                           at::Tensor(model.trainable().back().second).zero_();
                                         });
                                         ++inferences;
                                       });
  ASSERT_TRUE(busy) << busy.error().text();
  EXPECT_GT(inferences, 2);
  EXPECT_EQ((*busy)[0].values, calm[0].values);
}

TEST(HeadMetrics, MeasuringStopsWhenAsked) {
  const auto session = sessionOf(smallExperiment("deit_tiny"));
  const Experiment& experiment = session->info().experiment;
  for (const M measure : {M::Entropy, M::Importance, M::ImportanceFirstOrder}) {
    std::stop_source source;
    const auto outcome = measureHeadMetrics(
        *session, {experiment.data, 18}, noMasks(*session), {measure},
        [&](const Progress&) { source.request_stop(); }, source.get_token());
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code, ErrorCode::Canceled);
  }
}

TEST(HeadMetrics, EveryPairingHasMapMeasuresOfAnImage) {
  for (const auto& [name, config] : pairings()) {
    SCOPED_TRACE(name);
    Experiment experiment;
    experiment.model = config;
    experiment.device = "cpu";
    experiment.threads = 1;
    const auto session = valueOrThrow(InferenceSession::create(experiment));
    const auto dataset = imagesOf(experiment, 9);
    const Image image = valueOrThrow(dataset->sample(1)).image;
    for (const M measure : {M::Locality, M::Entropy, M::Distance}) {
      const auto found = measureHeadMetrics(*session, image, noMasks(*session), measure);
      ASSERT_TRUE(found) << found.error().text();
      for (std::size_t l = 0; l < found->values.size(); ++l) {
        EXPECT_TRUE(std::isfinite(found->chance[l]));
        // A head of lambdas may have no weight above 0, as on the last stage's one patch: it looks
        // nowhere.
        const bool mayLookNowhere = config.mechanism == "lambda" && measure == M::Distance;
        for (const double value : found->values[l])
          EXPECT_TRUE(std::isfinite(value) || (mayLookNowhere && std::isnan(value)))
              << findInfo(measure).name << " layer " << l;
      }
    }
  }
}

}  // namespace
}  // namespace headlight
