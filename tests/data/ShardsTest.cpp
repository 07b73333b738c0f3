// SPDX-License-Identifier: GPL-3.0-or-later

// Tar shards: which are meant, what is in them, in which order they are read, and shards that lie.

#include "core/data/Shards.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <set>

#include "core/data/EpochOrder.h"
#include "core/data/Loader.h"
#include "core/data/ShardNames.h"
#include "tests/data/Epochs.h"
#include "tests/data/Refusals.h"
#include "tests/data/Support.h"
#include "tests/data/TarWriter.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

using test::specOf;
using test::tarEnd;
using test::tarFile;

std::string image(int label, int number) {
  return valueOrThrow(encodePng(test::solidImage(
      8, 8, {static_cast<std::uint8_t>(label * 20), static_cast<std::uint8_t>(number), 0})));
}

std::string sampleOf(const std::string& key, int label, int number) {
  return tarFile(key + ".png", image(label, number)) +
         tarFile(key + ".cls", std::to_string(label) + "\n") +
         tarFile(key + ".json", "{\"label\": 9}");
}

/// `count` samples of the classes 0, 1 and 2 in turn, numbered from `first` on.
std::string shard(int count, int first = 0) {
  std::string bytes;
  for (int i = first; i < first + count; ++i)
    bytes += sampleOf("folder/" + std::to_string(i), i % 3, i);
  return bytes + tarEnd();
}

std::string refusal(const fs::path& path, Split split = Split::Train) {
  const auto opened = openDataset(specOf("webdataset", path), split);
  EXPECT_FALSE(opened.ok());
  return opened.ok() ? "" : opened.error().text();
}

std::string refusalOf(const std::string& bytes) {
  const TemporaryFolder folder;
  test::writeBytes(folder / "odd.tar", bytes);
  const std::string said = refusal(folder.path());
  EXPECT_NE(said.find("odd.tar"), said.npos) << "names the shard: " << said;
  return said;
}

std::set<int> numbersIn(const Dataset& dataset) {
  std::set<int> numbers;
  for (std::int64_t i = 0; i < dataset.size(); ++i) {
    const Sample sample = valueOrThrow(dataset.sample(i));
    EXPECT_EQ(sample.image.row(0)[0], sample.label * 20);
    numbers.insert(sample.image.row(0)[1]);
  }
  return numbers;
}

TEST(Shards, GivesEachImageItsClass) {
  const TemporaryFolder folder;
  test::writeBytes(folder / "train-0.tar", shard(4));
  test::writeBytes(folder / "train-1.tar", shard(5, 4));
  test::writeBytes(folder / "val-0.tar", shard(3, 50));
  const auto spec = specOf("webdataset", folder.path());
  const auto train = valueOrThrow(openDataset(spec, Split::Train));
  const auto validation = valueOrThrow(openDataset(spec, Split::Validation));
  EXPECT_EQ(numbersIn(*train), (std::set<int>{0, 1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(numbersIn(*validation), (std::set<int>{50, 51, 52}));
  EXPECT_EQ(train->classNames(), (std::vector<std::string>{"0", "1", "2"}));
  EXPECT_EQ(train->shards(), (std::vector<std::int64_t>{4, 5}));
  EXPECT_TRUE(contains(train->describe(4), "train-1.tar: folder/4.png"));
  EXPECT_TRUE(train->reachable());
  EXPECT_NE(train->stamp(), validation->stamp());
  EXPECT_FALSE(train->sample(9).ok());
  EXPECT_EQ(detectDatasetKind(folder.path()), "webdataset");
}

TEST(Shards, SplitsByNamesAndFolders) {
  const TemporaryFolder folder;
  for (const std::string name : {"a/train/0.tar", "a/validation/0.tar", "b/imagenet-train-0.tar",
                                 "b/imagenet-val-0.tar", "b/imagenet-test-0.tar"})
    test::writeBytes(folder / name, shard(3));
  for (const std::string name : {"a", "b"}) {
    EXPECT_EQ(shardNames(folder / name, Split::Train).names.size(), 1u);
    EXPECT_TRUE(contains(shardNames(folder / name, Split::Validation).names.at(0),
                         name == "a" ? "validation/" : "-val-"));
  }
  test::writeBytes(folder / "c/retrain-evaluation-0.tar", shard(30));
  const ShardNames shared = shardNames(folder / "c", Split::Validation);
  EXPECT_TRUE(shared.shareOut) << "\"val\" within a word is none";
  auto spec = specOf("webdataset", folder / "c");
  spec.validationFraction = 0.2;
  EXPECT_EQ(valueOrThrow(openDataset(spec, Split::Train))->size(), 24);
  EXPECT_EQ(valueOrThrow(openDataset(spec, Split::Train))->shards(),
            (std::vector<std::int64_t>{24}));
  EXPECT_EQ(valueOrThrow(openDataset(spec, Split::Validation))->size(), 6);
  test::writeBytes(folder / "d/val.tar", shard(3));
  EXPECT_TRUE(openDataset(specOf("webdataset", folder / "d"), Split::Validation).ok());
  EXPECT_TRUE(contains(refusal(folder / "d"), "no training shards"));
}

TEST(Shards, ClassesAreThoseOfBothSplits) {
  const TemporaryFolder folder;
  test::writeBytes(folder / "train.tar", shard(6));
  test::writeBytes(folder / "val.tar", sampleOf("a", 0, 0) + sampleOf("b", 11, 0) + tarEnd());
  const auto spec = specOf("webdataset", folder.path());
  EXPECT_EQ(valueOrThrow(openDataset(spec, Split::Train))->classNames().size(), 12u);
  EXPECT_EQ(valueOrThrow(openDataset(spec, Split::Validation))->classNames().size(), 12u);
}

TEST(Shards, CheckpointsOfTrainersAreNone) {
  const TemporaryFolder folder;
  test::writeBytes(folder / "checkpoint.pth.tar", shard(3));
  EXPECT_EQ(detectDatasetKind(folder.path()), "");
  test::writeBytes(folder / "train-0.tar", shard(3));
  EXPECT_EQ(detectDatasetKind(folder.path()), "webdataset");
  const auto train = openDataset(specOf("webdataset", folder.path()), Split::Train);
  ASSERT_TRUE(train.ok()) << train.error().text();
  EXPECT_EQ((*train)->size(), 3);
}

TEST(Shards, PatternsCountAndList) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(expandedBraces("a-{08..11}.tar"),
            (Texts{"a-08.tar", "a-09.tar", "a-10.tar", "a-11.tar"}));
  EXPECT_EQ(expandedBraces("{train,val}-{0..1}"), (Texts{"train-0", "train-1", "val-0", "val-1"}));
  EXPECT_EQ(expandedBraces("plain"), (Texts{"plain"}));
  for (const std::string bad : {"{0..", "{}", "{3..1}", "{a..b}", "{0..9999999}", "{{0..1}}",
                                "{0..999}{0..999}{0..9}", "{0..99999999999999999999}"})
    EXPECT_THROW(expandedBraces(bad), Failure) << bad;
  const TemporaryFolder folder;
  for (const int i : {0, 1, 2})
    test::writeBytes(folder / ("x-" + std::to_string(i) + ".tar"), shard(3, 3 * i));
  EXPECT_EQ(valueOrThrow(openDataset(specOf("webdataset", folder / "x-{1..2}.tar"), Split::Train))
                ->shards()
                .size(),
            2u);
  EXPECT_EQ(detectDatasetKind(folder / "x-{1..2}.tar"), "webdataset");
  EXPECT_EQ(detectDatasetKind(folder / "x-1.tar"), "webdataset");
  EXPECT_EQ(detectDatasetKind(folder / "x-{1..4}.tar"), "");
  EXPECT_TRUE(contains(refusal(folder / "x-{1..4}.tar"), "x-3.tar"));
  EXPECT_TRUE(contains(refusal(folder / "x-{1..}.tar"), "range of increasing numbers"));
  EXPECT_TRUE(contains(refusal(folder / "nowhere"), "does not exist"));
}

/// What is refused is counted first: these would take gigabytes and minutes, or not end.
TEST(Shards, PatternsAreCountedBeforeTheyAreExpanded) {
  std::string braces, choices, numbers;
  for (int i = 0; i < 20'000; ++i) {
    braces += "{a}";
    choices += "{a,b}";
  }
  for (int i = 0; i < 30; ++i)
    numbers += "{0..9}";
  const auto said = [](const std::string& pattern) {
    const std::string text = refusal("/x/" + pattern);
    EXPECT_LT(text.size(), 500u) << "the pattern is not repeated whole";
    EXPECT_TRUE(contains(text, "data.path")) << text;
    return text;
  };
  EXPECT_TRUE(contains(said("{0..999999}" + braces + ".tar"), "20010 bytes in the name"));
  EXPECT_TRUE(contains(said(choices + ".tar"), "more than 999999999999 shards"));
  EXPECT_TRUE(contains(said(numbers + ".tar"), "more than 999999999999 shards"));
  EXPECT_TRUE(contains(said("{0..999}{0..999}{0,1}.tar"), "2000000 shards, and at most 1000000"));
  EXPECT_TRUE(contains(said("{0..999999}" + std::string(200, 'x') + ".tar"), "at most 67108864"));
  EXPECT_EQ(detectDatasetKind("/x/{0..999999}" + braces + ".tar"), "");
  EXPECT_EQ(expandedBraces("{0..999}{000..999}.tar").size(), 1'000'000u);
  EXPECT_EQ(expandedBraces("{a}{b}-{8..11}-{c}{,d}"),
            (std::vector<std::string>{"ab-8-c", "ab-8-cd", "ab-9-c", "ab-9-cd", "ab-10-c",
                                      "ab-10-cd", "ab-11-c", "ab-11-cd"}));
}

TEST(Shards, GroupsByNameUpToTheFirstDot) {
  const TemporaryFolder folder;
  test::writeBytes(folder / "a.tar", tarFile("x/1.seg.png", "no image") + tarFile("x/1.cls", "1") +
                                         tarFile("x/1.PNG", image(1, 1)) +
                                         tarFile("x/._1.png", "of a Mac") + tarFile("README", "") +
                                         tarFile("y/1.cls", " 2 ") + tarFile("y/1.txt", "words") +
                                         tarFile("z/1.cls", "0") + tarFile("z/1.png", image(0, 7)) +
                                         tarEnd());
  auto spec = specOf("webdataset", folder.path());
  spec.validationFraction = 0;
  const auto dataset = valueOrThrow(openDataset(spec, Split::Train));
  EXPECT_EQ(numbersIn(*dataset), (std::set<int>{1, 7})) << "y has no image";
}

TEST(Shards, RefusesWhatHasNoClassOrAWrongOne) {
  const std::string good = sampleOf("0", 0, 0) + sampleOf("1", 1, 0);
  EXPECT_TRUE(
      contains(refusalOf(good + tarFile("2.png", image(0, 0)) + tarEnd()), "no class for 2.png"));
  for (const std::string text : {"", "cat", "-1", "1.5", "100000", "99999999999999999999", "1 2"})
    EXPECT_TRUE(
        contains(refusalOf(good + tarFile("2.cls", text) + tarEnd()), "not a number from 0"))
        << text;
  EXPECT_TRUE(contains(refusalOf(good + tarFile("2.cls", std::string(5000, '1')) + tarEnd()),
                       "not a number from 0"));
  EXPECT_TRUE(contains(refusalOf(good + tarFile("2.png", "x") + tarFile("2.jpg", "x") + tarEnd()),
                       "two images"));
  EXPECT_TRUE(contains(refusalOf(tarFile("a.txt", "x") + tarEnd()), "no image"));
  EXPECT_TRUE(contains(refusalOf((good + tarEnd()).substr(0, 2000)), "cut short"));
  const TemporaryFolder folder;
  test::writeBytes(folder / "one.tar", sampleOf("0", 4, 0) + sampleOf("1", 4, 0) + tarEnd());
  EXPECT_TRUE(contains(refusal(folder.path()), "two classes"));
  EXPECT_TRUE(contains(refusal(folder / "missing.tar"), "does not exist"));
}

TEST(Shards, OneDamagedImageIsThatSamplesAlone) {
  const TemporaryFolder folder;
  test::writeBytes(folder / "a.tar", shard(3));
  test::writeBytes(folder / "b.tar", tarFile("bad.jpg", "\xff\xd8\xff noise") +
                                         tarFile("bad.cls", "1") + tarFile("empty.jpg", "") +
                                         tarFile("empty.cls", "2") + tarEnd());
  auto spec = specOf("webdataset", folder.path());
  spec.validationFraction = 0;
  const auto dataset = valueOrThrow(openDataset(spec, Split::Train));
  ASSERT_EQ(dataset->size(), 5);
  EXPECT_TRUE(dataset->sample(2).ok());
  for (const int damaged : {3, 4})
    EXPECT_TRUE(contains(dataset->sample(damaged).error().text(), "b.tar: "));
  test::writeBytes(folder / "a.tar", shard(3).substr(0, 700));
  fs::remove(folder / "b.tar");
  EXPECT_TRUE(dataset->sample(0).ok()) << "the open shard was overwritten in place, and has it";
  EXPECT_FALSE(dataset->sample(2).ok()) << "it was cut short behind our back";
}

TEST(Shards, AnEpochIsTheShardsInADrawnOrderThroughABuffer) {
  const std::vector<std::int64_t> lengths = {30, 1, 0, 50, 19};
  for (const std::int64_t buffer : {1, 7, 1000}) {
    const EpochOrder order(lengths, buffer, 1, 5, 2), again(lengths, buffer, 1, 5, 2);
    ASSERT_EQ(order.size(), 100);
    std::set<std::int64_t> seen;
    for (std::int64_t place = 0; place < 100; ++place) {
      seen.insert(order.at(place).index);
      EXPECT_EQ(order.at(place).index, again.at(place).index);
    }
    EXPECT_EQ(seen.size(), 100u);
  }
  // Without a buffer what is left is the order in which the shards are read.
  const EpochOrder read(lengths, 1, 1, 5, 2), shuffled(lengths, 7, 1, 5, 2);
  std::map<std::int64_t, std::int64_t> readAt;
  int jumps = 0, moved = 0;
  for (std::int64_t place = 0; place < 100; ++place) {
    readAt[read.at(place).index] = place;
    jumps += place > 0 && read.at(place).index != read.at(place - 1).index + 1;
  }
  EXPECT_LE(jumps, 4) << "one at each shard's end";
  for (std::int64_t place = 0; place < 100; ++place) {
    EXPECT_LT(readAt[shuffled.at(place).index], place + 7) << "never farther ahead than the buffer";
    moved += readAt[shuffled.at(place).index] != place;
  }
  EXPECT_GT(moved, 70);
  const EpochOrder other(lengths, 1, 1, 5, 3);
  int same = 0;
  for (std::int64_t place = 0; place < 100; ++place)
    same += other.at(place).index == read.at(place).index;
  EXPECT_LT(same, 100) << "another epoch has another order";
  EXPECT_EQ(EpochOrder(lengths, 7, 3, 5, 2).at(4).index, shuffled.at(1).index) << "repeats";
}

TEST(Shards, LoadAlikeWithAnyThreadsAndWhereverResumed) {
  const TemporaryFolder folder;
  for (int i = 0; i < 4; ++i)
    test::writeBytes(folder / ("train-" + std::to_string(i) + ".tar"), shard(10, 10 * i));
  auto spec = specOf("webdataset", folder.path());
  spec.validationFraction = 0.1;
  const std::shared_ptr<const Dataset> dataset = valueOrThrow(openDataset(spec, Split::Train));
  LoaderOptions options;
  options.batchSize = 4;
  options.shuffleBuffer = 6;
  options.preprocessing.height = options.preprocessing.width = 8;
  const auto epoch = [&](int threads, std::int64_t first) {
    options.threads = threads;
    Loader loader(dataset, options);
    loader.startEpoch(1, first);
    return test::restOfEpoch(loader);
  };
  const auto whole = epoch(0, 0), threaded = epoch(3, 0), resumed = epoch(1, 4);
  ASSERT_GT(whole.size(), 6u);
  test::expectSame(whole, threaded);
  test::expectSame({whole.begin() + 4, whole.end()}, resumed);
  options.shuffleBuffer = 0;
  EXPECT_THROW(Loader(dataset, options), Failure);
}

}  // namespace
}  // namespace headlight
