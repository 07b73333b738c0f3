// SPDX-License-Identifier: GPL-3.0-or-later

// Faithfulness, beside passes of images that the test edits by itself.

#include "core/workbench/attribution/Faithfulness.h"

#include <cmath>
#include <limits>

#include "tests/workbench/ExplanationSupport.h"

namespace headlight {
namespace {

/// The probability of a class of an image whose patches (of 8 × 8 pixels, 3 a row) are 0 unless
/// they are kept.
double probabilityWith(InferenceSession& session, RawImages image, const std::vector<bool>& kept,
                       int classIndex) {
  for (int c = 0; c < 3; ++c)
    for (int y = 0; y < 24; ++y)
      for (int x = 0; x < 24; ++x)
        if (!kept[y / 8 * 3 + x / 8]) image.values[(c * 24 + y) * 24 + x] = 0;
  const auto logits =
      valueOrThrow(inferRaw(session, image, explanationMasks(session), false)).front().logits;
  double sum = 0;
  for (const float logit : logits)
    sum += std::exp(double{logit} - logits[classIndex]);
  return 1 / sum;
}

TEST(Faithfulness, RemovesAndInsertsInFallingOrder) {
  const auto session = explanationSession(microVit());
  const RawImages image = explanationImage(microVit());
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> heatmap{0.1f, 0.9f, 0.2f, nan, 0.9f, -1, 0.3f, 0, 0.5f};
  const std::vector<int> order{1, 4, 8, 6, 2, 0, 7, 5, 3};
  const auto table =
      valueOrThrow(faithfulness(*session, image, explanationMasks(*session),
                                {{"mine", heatmap, {3, 3, 1}}}, {.classIndex = 2, .steps = 0}));
  ASSERT_EQ(table.methods.size(), 1u);
  const Faithfulness& mine = table.methods[0];
  ASSERT_EQ(mine.shares.size(), 10u);
  double deletionArea = 0, insertionArea = 0;
  std::vector<bool> there(9, true), put(9, false);
  for (int i = 0; i <= 9; ++i) {
    if (i > 0) {
      there[order[i - 1]] = false;
      put[order[i - 1]] = true;
    }
    EXPECT_NEAR(mine.deletion.probability[i], probabilityWith(*session, image, there, 2), 1e-5);
    EXPECT_NEAR(mine.insertion.probability[i], probabilityWith(*session, image, put, 2), 1e-5);
    const double weight = (i == 0 || i == 9 ? 0.5 : 1.0) / 9;
    deletionArea += weight * mine.deletion.probability[i];
    insertionArea += weight * mine.insertion.probability[i];
  }
  EXPECT_NEAR(mine.deletion.area, deletionArea, 1e-12);
  EXPECT_NEAR(mine.insertion.area, insertionArea, 1e-12);
  EXPECT_EQ(table.className, "class 2");
}

TEST(Faithfulness, RandomOrderIsTheSameForTheSameSeed) {
  const auto session = explanationSession(microVit());
  const RawImages image = explanationImage(microVit());
  const AskedHeatmap flat{"flat", std::vector<float>(9, 1.0f), {3, 3, 1}};
  const auto areaOf = [&](std::uint64_t seed) {
    return valueOrThrow(
               faithfulness(*session, image, explanationMasks(*session), {flat}, {.seed = seed}))
        .random.deletion.area;
  };
  EXPECT_EQ(areaOf(1), areaOf(1));
  EXPECT_NE(areaOf(1), areaOf(2));
}

TEST(Faithfulness, FewerStepsTakeSeveralPatchesAtOnce) {
  const auto session = explanationSession(microVit());
  const auto table =
      valueOrThrow(faithfulness(*session, explanationImage(microVit()), explanationMasks(*session),
                                {{"flat", std::vector<float>(9, 1.0f), {3, 3, 1}}}, {.steps = 4}));
  EXPECT_EQ(table.methods[0].shares, (std::vector<double>{0, 2.0 / 9, 4.0 / 9, 6.0 / 9, 1}));
  const std::string csv = faithfulnessCsv(table);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 2 * 2 * 6);
}

TEST(Faithfulness, RefusesWhatCannotBe) {
  const auto session = explanationSession(microVit());
  const RawImages image = explanationImage(microVit());
  const MaskScheme masks = explanationMasks(*session);
  EXPECT_FALSE(faithfulness(*session, image, masks, {}));
  EXPECT_FALSE(faithfulness(*session, image, masks, {{"few", {1, 2}, {3, 3, 1}}}));
  EXPECT_FALSE(faithfulness(*session, image, masks,
                            {{"ok", std::vector<float>(9, 1.0f), {3, 3, 1}}}, {.classIndex = 7}));
  std::stop_source stopped;
  stopped.request_stop();
  const auto late =
      faithfulness(*session, image, masks, {{"ok", std::vector<float>(9, 1.0f), {3, 3, 1}}}, {}, {},
                   stopped.get_token());
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::Canceled);
}

}  // namespace
}  // namespace headlight
