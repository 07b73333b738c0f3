// SPDX-License-Identifier: GPL-3.0-or-later

// Scores of schemes (mIoU, average precision) are kept as accuracies are: found again in another
// session of the same weights, masks and images, and by nothing else.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "core/base/Clock.h"
#include "core/base/Log.h"
#include "core/config/DatasetKinds.h"
#include "core/models/backbones/Model.h"
#include "core/workbench/evaluation/SchemeScores.h"
#include "core/workbench/results/CachedMetrics.h"
#include "core/workbench/results/ResultsJson.h"
#include "core/workbench/session/ModelAccess.h"
#include "tests/TemporaryFolder.h"
#include "tests/models/segmentation/SegmenterSupport.h"

namespace headlight {
namespace {

std::unique_ptr<InferenceSession> scoredSession() {
  Experiment experiment;
  experiment.model = microSegmenter();
  experiment.model.classes = 10;
  experiment.device = "cpu";
  experiment.threads = 1;
  return valueOrThrow(InferenceSession::create(experiment));
}

ImageSample scoredImages() {
  ImageSample sample;
  sample.data.dataset = kTextureSegments;
  sample.data.validationSamples = 4;
  sample.data.loaderThreads = 0;
  sample.samples = 3;
  sample.matching = {"index", ""};
  return sample;
}

MaskScheme nothingMasked(const InferenceSession& session) {
  return MaskScheme(makeMaskShape(session.info().experiment.model));
}

TEST(KeptScores, ComeBackBitForBitInAnotherSession) {
  TemporaryFolder folder;
  const ImageSample sample = scoredImages();
  std::vector<SchemeResult> first;
  for (const bool again : {false, true}) {
    const auto session = scoredSession();  // equal weights from the same seed
    const auto shelf = std::make_shared<const ResultCache>(folder / "results");
    const MaskScheme none = nothingMasked(*session);
    MaskScheme hard = none;
    hard.set(1, 0, {MaskKind::Hard, 3});
    bool measured = false;
    const auto found = valueOrThrow(keptScores({shelf}, {*session, sample, none}, {none, hard},
                                               [&](const Progress&) { measured = true; }));
    EXPECT_EQ(measured, !again);
    ASSERT_EQ(found.size(), 2u);
    for (std::size_t s = 0; s < 2; ++s) {
      ASSERT_TRUE(found[s].scores && found[s].scores->miou);
      EXPECT_TRUE(isUtc(found[s].measured));
      EXPECT_EQ(found[s].scores->images, 3);
      EXPECT_TRUE(found[s].images.empty());
      EXPECT_FALSE(found[s].scores->ap);
      if (!again) continue;
      EXPECT_EQ(found[s].scores->miou, first[s].scores->miou);
      EXPECT_EQ(found[s].scores->macc, first[s].scores->macc);
      EXPECT_EQ(found[s].scores->pacc, first[s].scores->pacc);
      EXPECT_EQ(found[s].classNames, first[s].classNames);
      EXPECT_EQ(found[s].classMatch, first[s].classMatch);
      EXPECT_EQ(found[s].measured, first[s].measured);
      EXPECT_EQ(qualityOf(found[s]), qualityOf(first[s]));
    }
    first = found;
  }
  // As they are without a cache.
  const auto session = scoredSession();
  const auto direct = valueOrThrow(scoreSchemes(*session, sample, {nothingMasked(*session)}));
  EXPECT_EQ(direct[0].scores->miou, first[0].scores->miou);
  EXPECT_TRUE(direct[0].measured.empty());
}

TEST(KeptScores, OtherWeightsMasksOrImagesAreMeasured) {
  const auto session = scoredSession();
  const auto shelf = std::make_shared<const ResultCache>("");
  const ImageSample sample = scoredImages();
  const MaskScheme none = nothingMasked(*session);
  const auto isKept = [&](InferenceSession& of, const ImageSample& images,
                          const MaskScheme& under) {
    return keptScores({shelf, CachePolicy::Use::Kept}, {of, images, under}, {under}).ok();
  };
  EXPECT_FALSE(isKept(*session, sample, none));
  ASSERT_TRUE(keptScores({shelf}, {*session, sample, none}, {none}));
  EXPECT_TRUE(isKept(*session, sample, none));
  EXPECT_FALSE(keptEvaluations({shelf, CachePolicy::Use::Kept}, {*session, sample, none}, {none}));
  MaskScheme hard = none;
  hard.set(0, 0, {MaskKind::Hard, 3});
  EXPECT_FALSE(isKept(*session, sample, hard));
  ImageSample fewer = sample;
  fewer.samples = 2;
  EXPECT_FALSE(isKept(*session, fewer, none));
  ImageSample others = sample;
  others.data.validationSamples = 5;
  EXPECT_FALSE(isKept(*session, others, none));
  const auto nudged = scoredSession();
  withModel(*nudged, [](Model& model) {
    at::Tensor(model.trainable().back().second).view({-1})[0] += 1e-6;
  });
  EXPECT_FALSE(isKept(*nudged, sample, none));
}

TEST(KeptScores, EveryScoreIsReadBackAndDamageIsNot) {
  const auto session = scoredSession();
  SchemeResult result;
  result.scores = EvaluationResult{.images = 7, .loss = 1.5, .skipped = 1};
  result.scores->ap = 0.1 + 0.2;
  result.scores->ap50 = 0.5;
  result.scores->ap75 = std::numeric_limits<double>::quiet_NaN();
  result.scores->rebuilt = -0.25;
  result.loss = 1.5;
  result.skipped = 1;
  const Json json = Json::parse(toJson(result).dump());
  const auto read = valueOrThrow(schemeScoresFrom(json, session->info()));
  EXPECT_EQ(*read.scores->ap, 0.1 + 0.2);
  EXPECT_EQ(*read.scores->ap50, 0.5);
  EXPECT_TRUE(std::isnan(*read.scores->ap75));
  EXPECT_EQ(*read.scores->rebuilt, -0.25);
  EXPECT_FALSE(read.scores->miou);
  EXPECT_EQ(read.skipped, 1);
  EXPECT_EQ(read.loss, 1.5);
  const std::vector<std::function<void(Json&)>> lies{
      [](Json& lie) { lie = 7; }, [](Json& lie) { lie.erase("scores"); },
      [](Json& lie) { lie["scores"]["images"] = 0; },
      [](Json& lie) { lie["scores"]["ap"] = "much"; },
      [](Json& lie) { lie["class_names"] = {"one"}; }};
  for (std::size_t i = 0; i < lies.size(); ++i) {
    Json lie = json;
    lies[i](lie);
    EXPECT_FALSE(schemeScoresFrom(lie, session->info())) << i;
  }
  // An accuracy is no score, and a score no accuracy.
  EXPECT_FALSE(schemeResultFrom(json, session->info()));
}

}  // namespace
}  // namespace headlight
