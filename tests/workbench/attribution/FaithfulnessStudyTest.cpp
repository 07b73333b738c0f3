// SPDX-License-Identifier: GPL-3.0-or-later

// Faithfulness over images: means and deviations of what each image alone gives.

#include "core/workbench/attribution/FaithfulnessStudy.h"

#include <algorithm>
#include <cmath>

#include "tests/workbench/ExplanationSupport.h"

namespace headlight {
namespace {

Image studyImage(int seed) {
  auto pixels = std::make_shared<std::vector<std::uint8_t>>();
  std::uint32_t state = 5u + static_cast<std::uint32_t>(seed);
  for (int i = 0; i < 24 * 24 * 3; ++i)
    pixels->push_back(static_cast<std::uint8_t>((state = state * 1664525u + 1013904223u) >> 24));
  return {24, 24, pixels};
}

ImageSource studyFeed(int count) {
  return {count, [](std::int64_t i) -> Result<SourceImage> {
            return SourceImage{studyImage(static_cast<int>(i))};
          }};
}

TEST(FaithfulnessStudy, MeansAndDeviationsAreThoseOfTheImages) {
  const auto session = explanationSession(microVit());
  const MaskScheme masks = explanationMasks(*session);
  StudyOptions options;
  options.removal.steps = 3;
  std::vector<Progress> reported;
  const auto study = valueOrThrow(
      studyFaithfulness(*session, studyFeed(3), masks, options,
                        [&](const Progress& progress) { reported.push_back(progress); }));
  std::vector<FaithfulnessTable> tables;
  for (int i = 0; i < 3; ++i) {
    const RawImages image = rawImage(session->info(), studyImage(i));
    const auto asked = valueOrThrow(heatmapsToStudy(*session, image, masks, options));
    FaithfulnessOptions removal = options.removal;
    removal.classIndex = asked.classIndex;
    removal.seed = static_cast<std::uint64_t>(i);
    tables.push_back(valueOrThrow(faithfulness(*session, image, masks, asked.heatmaps, removal)));
    tables.back().methods.push_back(tables.back().random);
  }
  const auto heatmaps = std::count_if(explanationMethods().begin(), explanationMethods().end(),
                                      std::mem_fn(&ExplanationInfo::isImageHeatmap));
  ASSERT_EQ(study.methods.size(), heatmaps + 3u);  // and rollout, attention, random
  EXPECT_EQ(study.methods.back().title, "random order");
  EXPECT_TRUE(study.left.empty());
  for (std::size_t m = 0; m < study.methods.size(); ++m) {
    EXPECT_EQ(study.methods[m].images, 3);
    EXPECT_EQ(study.methods[m].title, tables[0].methods[m].title);
    const auto area = [&](std::size_t i) { return tables[i].methods[m].deletion.area; };
    const double mean = (area(0) + area(1) + area(2)) / 3;
    double squares = 0;
    for (std::size_t i = 0; i < 3; ++i)
      squares += (area(i) - mean) * (area(i) - mean);
    EXPECT_NEAR(study.methods[m].deletion.mean, mean, 1e-9);
    EXPECT_NEAR(study.methods[m].deletion.deviation, std::sqrt(squares / 2), 1e-9);
    const double inserted =
        (tables[0].methods[m].insertion.area + tables[1].methods[m].insertion.area +
         tables[2].methods[m].insertion.area) /
        3;
    EXPECT_NEAR(study.methods[m].insertion.mean, inserted, 1e-9);
  }
  EXPECT_EQ(reported.back().done, reported.back().total);
}

/// The class token's row of the last layer, its heads' mean.
TEST(FaithfulnessStudy, AttentionIsThatOfTheLastLayer) {
  const auto session = explanationSession(microVit());
  const RawImages image = rawImage(session->info(), studyImage(1));
  const auto asked = valueOrThrow(heatmapsToStudy(*session, image, explanationMasks(*session), {}));
  const auto inference = valueOrThrow(session->infer(studyImage(1), explanationMasks(*session)));
  const LayerMaps& last = inference.maps.layers.back();
  const AskedHeatmap& heatmap = asked.heatmaps.back();
  EXPECT_EQ(heatmap.title, "attention of the last layer");
  for (std::size_t p = 0; p < heatmap.values.size(); ++p) {
    double mean = 0;
    for (int h = 0; h < last.heads; ++h)
      mean += last.row(h, 0)[p + 1] / static_cast<double>(last.heads);
    EXPECT_NEAR(heatmap.values[p], mean, 1e-5);
  }
}

TEST(FaithfulnessStudy, SaysWhatIsLeftOutAndRefusesWhatCannotBe) {
  const auto session = explanationSession(microVit());
  const MaskScheme masks = explanationMasks(*session);
  const auto one = valueOrThrow(studyFaithfulness(*session, studyFeed(1), masks));
  EXPECT_TRUE(std::isnan(one.methods[0].deletion.deviation));
  EXPECT_EQ(meanText(one.methods[0].deletion).find("±"), std::string::npos);
  EXPECT_NE(meanText({0.25, 0.5}).find("0.2500 ± 0.5000"), std::string::npos);
  const std::string csv = studyCsv(one.methods);
  EXPECT_EQ(csv.substr(0, 7), "method,");
  EXPECT_EQ(static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n')),
            one.methods.size() + 1);
  EXPECT_EQ(csv.find("nan"), std::string::npos);
  ModelConfig headless = microVit();
  headless.classes = 0;
  const auto features = explanationSession(headless);
  EXPECT_FALSE(studyFaithfulness(*features, studyFeed(1), explanationMasks(*features)));
  std::stop_source stopped;
  const auto late = studyFaithfulness(
      *session, studyFeed(9), masks, {}, [&](const Progress&) { stopped.request_stop(); },
      stopped.get_token());
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::Canceled);
}

}  // namespace
}  // namespace headlight
