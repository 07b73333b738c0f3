// SPDX-License-Identifier: GPL-3.0-or-later

// Faithfulness over pictures: means and deviations of what each picture alone gives.

#include "core/workbench/attribution/FaithfulnessStudy.h"

#include <cmath>

#include "tests/workbench/ExplanationSupport.h"

namespace headlight {
namespace {

Image studyPicture(int seed) {
  auto pixels = std::make_shared<std::vector<std::uint8_t>>();
  std::uint32_t state = 5u + static_cast<std::uint32_t>(seed);
  for (int i = 0; i < 24 * 24 * 3; ++i)
    pixels->push_back(static_cast<std::uint8_t>((state = state * 1664525u + 1013904223u) >> 24));
  return {24, 24, pixels};
}

ImageSource studyFeed(int count) {
  return {count, [](std::int64_t i) -> Result<FedPicture> {
            return FedPicture{studyPicture(static_cast<int>(i))};
          }};
}

TEST(FaithfulnessStudy, MeansAndDeviationsAreThoseOfThePictures) {
  const auto session = waySession(microVit());
  const MaskScheme masks = wayMasks(*session);
  StudyOptions options;
  options.removal.steps = 3;
  std::vector<Progress> told;
  const auto study =
      valueOrThrow(studyFaithfulness(*session, studyFeed(3), masks, options,
                                     [&](const Progress& progress) { told.push_back(progress); }));
  std::vector<FaithfulnessTable> tables;
  for (int i = 0; i < 3; ++i) {
    const RawImages picture = rawPicture(session->info(), studyPicture(i));
    const auto asked = valueOrThrow(heatsToStudy(*session, picture, masks, options));
    FaithfulnessOptions removal = options.removal;
    removal.classIndex = asked.classIndex;
    removal.seed = static_cast<std::uint64_t>(i);
    tables.push_back(valueOrThrow(faithfulness(*session, picture, masks, asked.heats, removal)));
    tables.back().methods.push_back(tables.back().random);
  }
  ASSERT_EQ(study.methods.size(), 6u);  // three ways, rollout, attention, random
  EXPECT_EQ(study.methods.back().title, "random order");
  EXPECT_TRUE(study.left.empty());
  for (std::size_t m = 0; m < study.methods.size(); ++m) {
    EXPECT_EQ(study.methods[m].pictures, 3);
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
  EXPECT_EQ(told.back().done, told.back().total);
}

/// The class token's row of the last layer, its heads' mean.
TEST(FaithfulnessStudy, AttentionIsThatOfTheLastLayer) {
  const auto session = waySession(microVit());
  const RawImages picture = rawPicture(session->info(), studyPicture(1));
  const auto asked = valueOrThrow(heatsToStudy(*session, picture, wayMasks(*session), {}));
  const auto look = valueOrThrow(session->look(studyPicture(1), wayMasks(*session)));
  const LayerMaps& last = look.maps.layers.back();
  const AskedHeatmap& heat = asked.heats.back();
  EXPECT_EQ(heat.title, "attention of the last layer");
  for (std::size_t p = 0; p < heat.values.size(); ++p) {
    double mean = 0;
    for (int h = 0; h < last.heads; ++h)
      mean += last.row(h, 0)[p + 1] / static_cast<double>(last.heads);
    EXPECT_NEAR(heat.values[p], mean, 1e-5);
  }
}

TEST(FaithfulnessStudy, SaysWhatIsLeftOutAndRefusesWhatCannotBe) {
  const auto session = waySession(microVit());
  const MaskScheme masks = wayMasks(*session);
  const auto one = valueOrThrow(studyFaithfulness(*session, studyFeed(1), masks));
  EXPECT_TRUE(std::isnan(one.methods[0].deletion.deviation));
  EXPECT_EQ(meanText(one.methods[0].deletion).find("±"), std::string::npos);
  EXPECT_NE(meanText({0.25, 0.5}).find("0.2500 ± 0.5000"), std::string::npos);
  const std::string csv = studyCsv(one.methods);
  EXPECT_EQ(csv.substr(0, 7), "method,");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 7);
  EXPECT_EQ(csv.find("nan"), std::string::npos);
  ModelConfig headless = microVit();
  headless.classes = 0;
  const auto features = waySession(headless);
  EXPECT_FALSE(studyFaithfulness(*features, studyFeed(1), wayMasks(*features)));
  std::stop_source stopped;
  const auto late = studyFaithfulness(
      *session, studyFeed(9), masks, {}, [&](const Progress&) { stopped.request_stop(); },
      stopped.get_token());
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::Canceled);
}

}  // namespace
}  // namespace headlight
