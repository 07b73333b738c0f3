// SPDX-License-Identifier: GPL-3.0-or-later

// Reading evolution.bin while it grows, and whatever became of it: cut anywhere, damaged, of
// another run, newer than this program, thinned meanwhile, gone.

#include "core/workbench/runs/RecordedEvolution.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <optional>

#include "core/base/Crc32c.h"
#include "core/base/files/Files.h"
#include "core/imaging/codecs/Image.h"
#include "core/training/evolution/EvolutionFile.h"
#include "core/training/evolution/EvolutionLog.h"
#include "core/training/tensorboard/Protobuf.h"
#include "core/workbench/runs/EvolutionScales.h"
#include "tests/TemporaryFolder.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr const char *kRun = "0123456789abcdef", *kOtherRun = "fedcba9876543210";

EvolutionBeginning smallBeginning(const std::string& run = kRun) {
  EvolutionBeginning beginning;
  beginning.run = run;
  beginning.meaning = "each row sums to 1";
  beginning.layers = {{2, {2, 2, 1}, {0, 1}}, {0, {2, 2, 1}, {}}};
  const Image view{4, 4, std::make_shared<const std::vector<std::uint8_t>>(48, 90)};
  beginning.images = {{7, 1, "dog.png", valueOrThrow(encodePng(view))}};
  beginning.classNames = {"cat", "dog"};
  return beginning;
}

EvolutionPoint smallPoint(std::int64_t step) {
  EvolutionPoint point;
  point.step = step;
  point.epoch = step / 4;
  const float none = std::numeric_limits<float>::quiet_NaN();
  point.locality = {{0.25f, 0.5f}, {}};
  point.alpha = {{none, 0.75f}, {none, none}};
  point.top = {{{1, 0.75f}, {0, 0.25f}}};
  point.maps.resize(2);
  for (int row = 0; row < 4; ++row) {
    for (int token = 0; token < 5; ++token)
      point.maps[0].codes.push_back(static_cast<std::uint8_t>(51 * token));
    point.maps[0].scales.push_back(0.1f * static_cast<float>(row + 1));
  }
  point.rollout = {{0, 85, 170, 255}, {0.3f}};
  point.tensors = {{"blocks.0.attn.position_gain", {2}, {0x3c00, 0xc000}}};  // 1, −2
  return point;
}

class RecordedEvolutionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(run());
    write("config.json", std::string("{\"run\": \"") + kRun + "\"}");
  }
  fs::path run() const { return m_folder / "run"; }
  fs::path file() const { return run() / kEvolutionFile; }
  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(run() / name, std::ios::binary) << bytes;
  }
  OpenFolder files() const { return valueOrThrow(OpenFolder::open(run())); }
  std::string bytes() const { return valueOrThrow(readFile(file(), 1 << 20)); }

  /// As a run writes it, a point every step.
  void record(std::int64_t from, std::int64_t to, std::int64_t mostBytes = 1 << 20) const {
    EvolutionLog log(files(), kRun, mostBytes, 1);
    ASSERT_TRUE(log.cutTo(from == 0 ? -1 : from - 1));
    for (std::int64_t step = from; step <= to; ++step) {
      const auto added = log.add(smallBeginning(), smallPoint(step));
      ASSERT_TRUE(added) << added.error().text();
    }
  }
  Error refused() const {
    const auto opened = RecordedEvolution::open(run());
    EXPECT_FALSE(opened);
    return opened ? Error{} : opened.error();
  }

  TemporaryFolder m_folder;
};

TEST_F(RecordedEvolutionTest, ReadsWhatWasWritten) {
  record(0, 3);
  const auto evolution = valueOrThrow(RecordedEvolution::open(run()));
  const EvolutionInfo& info = evolution.info();
  EXPECT_EQ(info.run, kRun);
  EXPECT_EQ(info.queries, (std::vector<int>{0, 1}));
  EXPECT_EQ(info.images.at(0).label.name, "dog");
  EXPECT_EQ(info.images.at(0).index, 7);
  EXPECT_EQ(info.images.at(0).view.width, 4);
  ASSERT_EQ(evolution.moments().size(), 4u);
  EXPECT_EQ(evolution.moments()[3].top.at(0).at(0).name, "dog");
  EXPECT_TRUE(std::isnan(evolution.moments()[3].alpha[0][0]));
  EXPECT_EQ(evolution.moments()[3].alpha[0][1], 0.75f);
  const auto frame = valueOrThrow(evolution.frame(2));
  EXPECT_EQ(frame.moment().step, 2);
  const auto seen = valueOrThrow(frame.seen(0, 0, 1, 0));  // row 2, its scale 0.3
  ASSERT_EQ(seen.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_NEAR(seen[i], 0.3 * static_cast<double>(51 * (i + 1)) / 255, 1e-6);
  EXPECT_NEAR(frame.rollout(0).at(1), 0.1, 1e-6);
  EXPECT_TRUE(frame.rollout(1).empty());
  ASSERT_EQ(frame.tensors().size(), 1u);
  EXPECT_EQ(frame.tensors()[0].values, (std::vector<float>{1, -2}));
  const AttentionMaps maps = frame.maps(0);
  EXPECT_TRUE(maps.layers.at(1).empty());
  EXPECT_TRUE(std::isnan(maps.layers[0].row(0, 2)[0]));
  EXPECT_NEAR(maps.layers[0].row(1, 1)[4], 0.4 * 204 / 255, 1e-6);
  EXPECT_EQ(evolution.momentAt(-5), 0u);
  EXPECT_EQ(evolution.momentAt(2), 2u);
  EXPECT_EQ(evolution.momentAt(99), 3u);
}

TEST_F(RecordedEvolutionTest, ScalesSpanAllSteps) {
  record(0, 3);
  const auto evolution = valueOrThrow(RecordedEvolution::open(run()));
  const auto scales = valueOrThrow(EvolutionScales::read(evolution, 0));
  std::vector<float> head, mean, all, rollout;
  const auto join = [](std::vector<float>& to, const std::vector<float>& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  for (std::size_t i = 0; i < evolution.moments().size(); ++i) {
    const auto frame = valueOrThrow(evolution.frame(i));
    const auto first = valueOrThrow(frame.seen(0, 0, 0, 1));
    const auto second = valueOrThrow(frame.seen(0, 0, 1, 1));
    join(head, second);
    join(all, first);
    join(all, second);
    for (std::size_t v = 0; v < first.size(); ++v)
      mean.push_back((first[v] + second[v]) / 2);
    join(rollout, frame.rollout(0));
  }
  ASSERT_TRUE(scales.find(0, 1, 1));
  EXPECT_EQ(*scales.find(0, 1, 1), summarize(head));
  EXPECT_NEAR(scales.find(0, -1, 1)->whole.high, summarize(mean).whole.high, 1e-6);
  EXPECT_EQ(scales.findAllHeads(1)->whole, summarize(all).whole);
  EXPECT_EQ(*scales.rollout(), summarize(rollout));
  EXPECT_FALSE(scales.find(1, 0, 1));  // nothing is kept of that layer
  EXPECT_FALSE(scales.find(0, 0, 4));  // nor of that token
  EXPECT_TRUE(valueOrThrow(EvolutionScales::read(evolution, 9)).isEmpty());
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(EvolutionScales::read(evolution, 0, stop.get_token()).error().code,
            ErrorCode::Canceled);
}

TEST_F(RecordedEvolutionTest, WhatWasNotKeptIsAnErrorThatNamesWhatWas) {
  record(0, 0);
  const auto evolution = valueOrThrow(RecordedEvolution::open(run()));
  const auto frame = valueOrThrow(evolution.frame(0));
  const auto other = frame.seen(0, 0, 0, 4);
  ASSERT_FALSE(other);
  EXPECT_NE(other.error().message.find("patch (1, 1)"), std::string::npos);
  EXPECT_NE(other.error().message.find("class token, patch (0, 0)"), std::string::npos);
  for (const auto& seen : {frame.seen(1, 0, 0, 0), frame.seen(0, 2, 0, 0), frame.seen(0, 0, 2, 0),
                           frame.seen(0, 1, 0, 0), frame.seen(-1, 0, 0, 0),
                           frame.seen(0, 0, 0, kMeanOfPatches), frame.seen(0, 0, 0, 99)}) {
    ASSERT_FALSE(seen);
    EXPECT_EQ(seen.error().code, ErrorCode::InvalidArgument);
  }
  EXPECT_FALSE(evolution.frame(1));
}

/// Where a record ends there is a point more; in between only what is whole counts, and a run that
/// goes on from there ends with the same file.
TEST_F(RecordedEvolutionTest, CutAnywhereItHasWhatIsWhole) {
  record(0, 5);
  const std::string whole = bytes();
  std::size_t before = 0;
  for (std::size_t size = 0; size < whole.size(); size += size < 700 ? 1 : 7) {
    write(kEvolutionFile, whole.substr(0, size));
    const auto evolution = RecordedEvolution::open(run());
    if (!evolution) {
      EXPECT_EQ(evolution.error().code, ErrorCode::NotFound);
      EXPECT_EQ(before, 0u);
      continue;
    }
    EXPECT_GE(evolution->moments().size(), before);
    before = evolution->moments().size();
    EXPECT_TRUE(evolution->warnings().empty());
    for (std::size_t i = 0; i < before; ++i)
      EXPECT_TRUE(evolution->frame(i));
  }
  EXPECT_EQ(before, 5u);
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{9}, std::size_t{30}, whole.size() - 1}) {
    write(kEvolutionFile, whole.substr(0, size));
    record(size < 100 ? 0 : 4, 5);
    EXPECT_TRUE(bytes() == whole) << size;
  }
}

TEST_F(RecordedEvolutionTest, DamageInTheMiddleCostsThatPointAndIsSaid) {
  record(0, 5);
  const std::string whole = bytes();
  std::string damaged = whole;
  const std::size_t record = evolutionRecord(kPointRecord, pointContent(smallPoint(5))).size();
  damaged[whole.size() - 2 * record - 30] ^= 4;  // in the content of point 3
  write(kEvolutionFile, damaged);
  const auto evolution = valueOrThrow(RecordedEvolution::open(run()));
  ASSERT_EQ(evolution.moments().size(), 5u);
  EXPECT_EQ(evolution.moments()[3].step, 4);
  ASSERT_EQ(evolution.warnings().size(), 1u);
  EXPECT_NE(evolution.warnings()[0].find("left out as damaged: 1"), std::string::npos);

  damaged = whole;
  damaged[whole.size() - 2 * record + 5] ^= 4;  // the length of point 4
  write(kEvolutionFile, damaged);
  const auto ended = valueOrThrow(RecordedEvolution::open(run()));
  EXPECT_EQ(ended.moments().size(), 4u);
  ASSERT_EQ(ended.warnings().size(), 1u);
  EXPECT_NE(ended.warnings()[0].find("cannot be read"), std::string::npos);
}

TEST_F(RecordedEvolutionTest, WhatIsNoRecordingOfThisRunIsRefused) {
  EXPECT_EQ(refused().code, ErrorCode::NotFound);
  EXPECT_NE(refused().message.find("telemetry.evolution_mb"), std::string::npos);
  record(0, 1);
  std::string newer = bytes();
  newer[8] = 2;
  write(kEvolutionFile, newer);
  EXPECT_EQ(refused().code, ErrorCode::InvalidFile) << "its checksum no longer fits";
  std::string preamble = newer.substr(0, 12);
  appendLittleEndian(preamble, crc32cOf(preamble), 4);
  newer = preamble + newer.substr(16);
  write(kEvolutionFile, newer);
  EXPECT_EQ(refused().code, ErrorCode::UnsupportedFile);
  EXPECT_NE(refused().message.find("another version of Headlight"), std::string::npos);
  EvolutionLog late(files(), kRun, 1 << 20, 1);
  EXPECT_FALSE(late.cutTo(0));
  EXPECT_EQ(bytes(), newer) << "nor is it cut";
  write(kEvolutionFile, std::string(5000, 'x'));
  EXPECT_EQ(refused().code, ErrorCode::InvalidFile);
  EvolutionLog log(files(), kRun, 1 << 20, 1);
  EXPECT_FALSE(log.add(smallBeginning(), smallPoint(0)));
  EXPECT_EQ(bytes(), std::string(5000, 'x')) << "what is not its own it leaves alone";

  fs::remove(file());
  EvolutionLog other(files(), kOtherRun, 1 << 20, 1);
  ASSERT_TRUE(other.add(smallBeginning(kOtherRun), smallPoint(0)));
  EXPECT_EQ(refused().code, ErrorCode::InvalidFile);
  EXPECT_NE(refused().message.find(kOtherRun), std::string::npos);
  fs::remove(run() / "config.json");
  EXPECT_TRUE(RecordedEvolution::open(run())) << "without a config there is nothing to differ from";
  fs::remove_all(run());
  EXPECT_EQ(refused().code, ErrorCode::NotFound);
}

TEST_F(RecordedEvolutionTest, IsFollowedWhileItGrows) {
  record(0, 1);
  auto evolution = valueOrThrow(RecordedEvolution::open(run()));
  EXPECT_EQ(valueOrThrow(evolution.refresh()), EvolutionChange::None);
  record(2, 4);
  EXPECT_EQ(valueOrThrow(evolution.refresh()), EvolutionChange::Grown);
  EXPECT_EQ(evolution.moments().size(), 5u);
  record(3, 6);  // resumed from step 2: the points after it come again
  EXPECT_EQ(valueOrThrow(evolution.refresh()), EvolutionChange::Grown);
  record(1, 2);  // and is shorter now
  EXPECT_EQ(valueOrThrow(evolution.refresh()), EvolutionChange::Anew);
  EXPECT_EQ(evolution.moments().size(), 3u);
  fs::remove(file());
  EXPECT_FALSE(evolution.refresh());
  EXPECT_EQ(evolution.moments().size(), 3u) << "what was read stays";
  EXPECT_TRUE(evolution.frame(2)) << "and can still be shown";
  fs::remove_all(run());
  const auto gone = evolution.refresh();
  ASSERT_FALSE(gone);
  EXPECT_NE(gone.error().message.find("deleted"), std::string::npos);
}

TEST_F(RecordedEvolutionTest, IsThinnedEvenlyWithinItsBound) {
  constexpr std::int64_t kBound = 6000;
  EvolutionLog log(files(), kRun, kBound, 1);
  std::optional<RecordedEvolution> evolution;
  for (std::int64_t step = 0; step <= 200; ++step) {
    const bool last = step == 200;
    ASSERT_TRUE(log.add(smallBeginning(), smallPoint(step), last));
    ASSERT_LE(fs::file_size(file()), static_cast<std::uintmax_t>(kBound));
    if (!evolution) {
      evolution = valueOrThrow(RecordedEvolution::open(run()));
      continue;
    }
    ASSERT_TRUE(evolution->refresh());
    const auto& moments = evolution->moments();
    ASSERT_EQ(moments.front().step, 0);
    const std::int64_t stride = evolution->info().stride;
    for (std::size_t i = 0; i + 1 < moments.size(); ++i)
      ASSERT_EQ(moments[i].step, stride * static_cast<std::int64_t>(i));
    ASSERT_LT(step - moments.back().step, stride);
    ASSERT_TRUE(evolution->frame(moments.size() - 1));
  }
  EXPECT_EQ(evolution->moments().back().step, 200);
  EXPECT_GE(evolution->moments().size(), 5u);
}

TEST_F(RecordedEvolutionTest, OtherImagesAreNotMixedIn) {
  record(0, 1);
  const std::string before = bytes();
  EvolutionBeginning other = smallBeginning();
  other.images[0].index = 8;
  EvolutionLog log(files(), kRun, 1 << 20, 1);
  const auto added = log.add(other, smallPoint(2));
  ASSERT_FALSE(added);
  EXPECT_NE(added.error().message.find("other images"), std::string::npos);
  EXPECT_EQ(bytes(), before);
}

/// Contents whose checksums fit may still claim anything.
TEST_F(RecordedEvolutionTest, ContentsThatLieAreRefused) {
  const std::string good = pointContent(smallPoint(1));
  EXPECT_NO_THROW(pointFrom(good, smallBeginning()));
  EXPECT_THROW(pointFrom(good.substr(0, good.size() - 1), smallBeginning()), Failure);
  EXPECT_THROW(pointFrom(good + "x", smallBeginning()), Failure);
  EvolutionBeginning larger = smallBeginning();
  larger.layers[0].heads = 3;
  EXPECT_THROW(pointFrom(good, larger), Failure);
  EvolutionPoint huge = smallPoint(1);
  huge.tensors[0].shape = {1ll << 40, 1ll << 40};
  EXPECT_THROW(pointFrom(pointContent(huge), smallBeginning()), Failure);
  EvolutionBeginning wrong = smallBeginning();
  wrong.layers[0].queries = {99};
  EXPECT_THROW(beginningFrom(beginningContent(wrong)), Failure);
  wrong = smallBeginning();
  wrong.layers.clear();
  EXPECT_THROW(beginningFrom(beginningContent(wrong)), Failure);
  wrong = smallBeginning();
  wrong.layers[0].grid.rows = 1 << 20;
  EXPECT_THROW(beginningFrom(beginningContent(wrong)), Failure);
}

std::string fileOf(const EvolutionBeginning& beginning, const EvolutionPoint& point) {
  return evolutionPreamble() + evolutionRecord(kBeginningRecord, beginningContent(beginning)) +
         evolutionRecord(kPointRecord, pointContent(point));
}

EvolutionImage whiteImage(int width, int height) {
  const std::vector<std::uint8_t> white(std::size_t{3} * static_cast<std::size_t>(width) * height,
                                        255);
  const Image image{width, height, std::make_shared<const std::vector<std::uint8_t>>(white)};
  return {0, 0, "p", valueOrThrow(encodePng(image))};
}

/// Kilobytes that would become gigabytes: refused by what they say, before they are decoded.
TEST_F(RecordedEvolutionTest, ImagesThatNoRunKeepsAreNotDecoded) {
  EvolutionBeginning beginning = smallBeginning();
  beginning.images = {whiteImage(1, 1025)};
  EvolutionPoint point = smallPoint(0);
  write(kEvolutionFile, fileOf(beginning, point));
  EXPECT_EQ(refused().code, ErrorCode::InvalidFile);
  EXPECT_NE(refused().message.find("1 × 1025"), std::string::npos) << refused().message;

  beginning.images.assign(16, whiteImage(1000, 1000));
  point.top.resize(16);
  for (QuantizedRows* rows : {&point.maps[0], &point.rollout}) {
    const QuantizedRows one = *rows;
    for (int i = 1; i < 16; ++i) {
      rows->codes.insert(rows->codes.end(), one.codes.begin(), one.codes.end());
      rows->scales.insert(rows->scales.end(), one.scales.begin(), one.scales.end());
    }
  }
  write(kEvolutionFile, fileOf(beginning, point));
  EXPECT_TRUE(RecordedEvolution::open(run()).ok()) << "as much as is read";
  beginning.images.back() = whiteImage(1000, 1001);
  write(kEvolutionFile, fileOf(beginning, point));
  EXPECT_NE(refused().message.find("16001000"), std::string::npos) << refused().message;
}

/// Maps have every token's row: of a claimed grid they would take a gigabyte a layer.
TEST_F(RecordedEvolutionTest, MapsOutOfAllProportionAreNotMade) {
  EvolutionBeginning beginning = smallBeginning();
  beginning.layers = {{1, {128, 128, 0}, {kMeanOfPatches}}, {1, {128, 128, 0}, {}}};
  EvolutionPoint point = smallPoint(0);
  point.maps[0] = {std::vector<std::uint8_t>(128 * 128, 255), {1.0f}};
  point.rollout = {};
  write(kEvolutionFile, fileOf(beginning, point));
  const auto evolution = valueOrThrow(RecordedEvolution::open(run()));
  const EvolutionFrame frame = valueOrThrow(evolution.frame(0));
  EXPECT_EQ(frame.mapsCanBeHeld().error().code, ErrorCode::InvalidFile);
  EXPECT_NE(frame.mapsCanBeHeld().error().message.find("1.1 GB"), std::string::npos)
      << frame.mapsCanBeHeld().error().message;
  EXPECT_TRUE(frame.maps(0).layers[0].empty());
  EXPECT_EQ(valueOrThrow(frame.seen(0, 0, 0, kMeanOfPatches)).size(), 128u * 128u);
}

TEST_F(RecordedEvolutionTest, NamesAndPredictionsAreBounded) {
  EvolutionBeginning beginning = smallBeginning();
  beginning.classNames = {std::string(4096, 'a')};
  EXPECT_NO_THROW(beginningFrom(beginningContent(beginning)));
  beginning.classNames = {std::string(4097, 'a')};
  EXPECT_THROW(beginningFrom(beginningContent(beginning)), Failure);
  EvolutionPoint point = smallPoint(1);
  point.top = {std::vector<std::pair<int, float>>(65, {0, 0.1f})};
  EXPECT_THROW(pointFrom(pointContent(point), smallBeginning()), Failure);
}

}  // namespace
}  // namespace headlight
