// SPDX-License-Identifier: GPL-3.0-or-later

// Sequences of bytes: images in raster order, files in pieces, and what is drawn to train on.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "core/base/Log.h"
#include "core/data/Sequences.h"
#include "tests/data/Support.h"

namespace headlight {
namespace {

using namespace test;

SequenceExperiment textExperiment(const std::filesystem::path& path, int length) {
  SequenceExperiment experiment;
  experiment.data.kind = "text";
  experiment.data.path = path.string();
  experiment.model.length = length;
  return experiment;
}

std::string countingBytes(std::size_t count) {
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i)
    bytes += static_cast<char>(i * 7 + i / 256);
  return bytes;
}

std::string textOf(const ByteSequence& bytes) {
  return {bytes.begin(), bytes.end()};
}

TEST(Sequences, AFileIsSplitAsEnwik8Is) {
  const TemporaryFolder folder;
  for (const std::size_t size : {20u, 57u, 1000u, 1009u}) {
    const std::string bytes = countingBytes(size);
    writeBytes(folder / "text", bytes);
    const auto experiment = textExperiment(folder / "text", 7);
    std::string whole;
    std::map<SequenceSplit, std::size_t> sizes;
    for (const auto split :
         {SequenceSplit::Train, SequenceSplit::Validation, SequenceSplit::Test}) {
      const auto source = valueOrThrow(openSequences(experiment, split));
      std::string part;
      for (std::int64_t i = 0; i < source->size(); ++i) {
        const auto piece = valueOrThrow(source->at(i));
        EXPECT_TRUE(i + 1 == source->size() ? !piece.empty() && piece.size() <= 7
                                            : piece.size() == 7);
        part += textOf(piece);
      }
      sizes[split] = part.size();
      whole += part;
    }
    EXPECT_EQ(whole, bytes);
    EXPECT_EQ(sizes[SequenceSplit::Train], size * 9 / 10);
    EXPECT_EQ(sizes[SequenceSplit::Test], size / 20);
  }
}

TEST(Sequences, PiecesOfAFileBeginAnywhereInItsTrainingSplit) {
  const TemporaryFolder folder;
  const std::string bytes = countingBytes(200);
  writeBytes(folder / "text", bytes);
  const auto source =
      valueOrThrow(openSequences(textExperiment(folder / "text", 150), SequenceSplit::Train));
  std::set<std::string> seen;
  for (std::int64_t i = 0; i < 400; ++i) {
    const std::string piece = textOf(valueOrThrow(source->draw(5, i)));
    ASSERT_EQ(piece.size(), 150u);
    EXPECT_EQ(piece, textOf(valueOrThrow(source->draw(5, i))));
    EXPECT_NE(bytes.substr(0, 180).find(piece), std::string::npos);
    seen.insert(piece);
  }
  EXPECT_EQ(seen.size(), 31u);  // 180 − 150 + 1 places
  EXPECT_NE(textOf(valueOrThrow(source->draw(6, 0))) + textOf(valueOrThrow(source->draw(6, 1))),
            textOf(valueOrThrow(source->draw(5, 0))) + textOf(valueOrThrow(source->draw(5, 1))));
}

TEST(Sequences, ShortFilesNameTheRequiredSize) {
  const TemporaryFolder folder;
  const auto errorOf = [&](const std::filesystem::path& path, int length) {
    const auto opened = openSequences(textExperiment(path, length), SequenceSplit::Train);
    EXPECT_FALSE(opened);
    return opened ? Error{} : opened.error();
  };
  writeBytes(folder / "empty", "");
  EXPECT_EQ(errorOf(folder / "empty", 100).code, ErrorCode::InvalidFile);
  EXPECT_NE(errorOf(folder / "empty", 100).message.find("112"), std::string::npos);
  writeBytes(folder / "short", countingBytes(111));
  EXPECT_NE(errorOf(folder / "short", 100).message.find("only 111"), std::string::npos);
  writeBytes(folder / "enough", countingBytes(112));
  EXPECT_TRUE(openSequences(textExperiment(folder / "enough", 100), SequenceSplit::Train));
  EXPECT_EQ(errorOf(folder / "nowhere", 10).code, ErrorCode::NotFound);
  EXPECT_EQ(errorOf(folder.path(), 10).code, ErrorCode::UnsupportedFile);
  EXPECT_EQ(errorOf("", 10).where, "data.path");
  writeBytes(folder / "huge", "x");
  std::filesystem::resize_file(folder / "huge", kMaxTextBytes + 1);  // a hole: takes no space
  EXPECT_EQ(errorOf(folder / "huge", 10).code, ErrorCode::UnsupportedFile);
}

TEST(Sequences, ImagesByRowColumnAndColor) {
  const Image image = gradientImage(8, 8);
  const ByteSequence bytes = bytesOf(sequenceView(image, 8));
  ASSERT_EQ(bytes.size(), 192u);
  for (int y = 0; y < 8; ++y)
    for (int x = 0; x < 8; ++x)
      for (int c = 0; c < 3; ++c)
        EXPECT_EQ(bytes[static_cast<std::size_t>((y * 8 + x) * 3 + c)], image.row(y)[x * 3 + c]);
  EXPECT_EQ(*imageOf(bytes, 8).pixels, *image.pixels);
  EXPECT_THROW(imageOf(bytes, 7), Failure);
  // Others become squares: the middle of a wide one.
  const Image wide = sequenceView(gradientImage(40, 20), 10);
  EXPECT_EQ(wide.width, 10);
  EXPECT_EQ(wide.height, 10);
}

SequenceExperiment imageExperiment() {
  SequenceExperiment experiment;
  experiment.seed = 4;
  experiment.data.imageSize = 8;
  experiment.data.trainSamples = 18;
  experiment.data.validationSamples = 9;
  return experiment;
}

TEST(Sequences, EveryImageOnceAnEpochInAnotherOrder) {
  const auto source = valueOrThrow(openSequences(imageExperiment(), SequenceSplit::Train));
  ASSERT_EQ(source->size(), 18);
  std::multiset<std::string> all;
  for (std::int64_t i = 0; i < 18; ++i)
    all.insert(textOf(valueOrThrow(source->at(i))));
  std::vector<std::string> epochs[2];
  for (std::int64_t i = 0; i < 36; ++i)
    epochs[i / 18].push_back(textOf(valueOrThrow(source->draw(3, i))));
  for (const auto& epoch : epochs)
    EXPECT_EQ(std::multiset<std::string>(epoch.begin(), epoch.end()), all);
  EXPECT_NE(epochs[0], epochs[1]);
  EXPECT_EQ(textOf(valueOrThrow(source->draw(3, 5))), epochs[0][5]);  // whatever was asked before
  EXPECT_EQ(valueOrThrow(openSequences(imageExperiment(), SequenceSplit::Validation))->size(), 9);
  EXPECT_FALSE(openSequences(imageExperiment(), SequenceSplit::Test));
}

/// `bytes` of an image of `side` with its columns in the opposite order.
ByteSequence mirrored(const ByteSequence& bytes, std::size_t side) {
  ByteSequence result = bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::size_t y = i / (side * 3), x = i / 3 % side;
    result[(y * side + side - 1 - x) * 3 + i % 3] = bytes[i];
  }
  return result;
}

TEST(Sequences, AugmentationFlipsAndShiftsAllValuesTogether) {
  SequenceExperiment experiment = imageExperiment();
  const auto plain = valueOrThrow(openSequences(experiment, SequenceSplit::Train));
  experiment.data.augment = true;
  const auto source = valueOrThrow(openSequences(experiment, SequenceSplit::Train));
  int flips = 0;
  std::set<int> shifts;
  for (std::int64_t i = 0; i < 400; ++i) {
    const ByteSequence before = valueOrThrow(plain->draw(8, i)),
                       after = valueOrThrow(source->draw(8, i));
    bool explained = false;
    for (const bool flip : {false, true})
      for (int shift = -10; shift <= 10 && !explained; ++shift) {
        ByteSequence wanted = flip ? mirrored(before, 8) : before;
        for (auto& byte : wanted)
          byte = static_cast<std::uint8_t>(std::clamp(byte + shift, 0, 255));
        explained = wanted == after;
        if (!explained) continue;
        flips += flip;
        shifts.insert(shift);
      }
    EXPECT_TRUE(explained) << i;
    EXPECT_EQ(after, valueOrThrow(source->draw(8, i)));
  }
  EXPECT_NEAR(flips, 200, 60);
  EXPECT_EQ(shifts.size(), 21u);
  const auto validation = valueOrThrow(openSequences(experiment, SequenceSplit::Validation));
  const auto same = valueOrThrow(openSequences(imageExperiment(), SequenceSplit::Validation));
  EXPECT_EQ(valueOrThrow(validation->draw(1, 3)), valueOrThrow(same->draw(1, 3)));
}

TEST(Sequences, DamagedImagesArePassedOver) {
  const TemporaryFolder folder;
  writeClasses(folder / "train", {"a", "b"}, 3);
  writeClasses(folder / "val", {"a", "b"}, 1);
  writeBytes(folder / "train/a/1.png", "no image");
  SequenceExperiment experiment = imageExperiment();
  experiment.data.dataset = "image-folder";
  experiment.data.path = folder.path().string();
  const auto source = valueOrThrow(openSequences(experiment, SequenceSplit::Train));
  int damaged = 0;
  for (std::int64_t i = 0; i < source->size(); ++i)
    damaged += !source->at(i);
  EXPECT_EQ(damaged, 1);
  for (std::int64_t i = 0; i < 24; ++i)
    EXPECT_EQ(valueOrThrow(source->draw(2, i)).size(), 192u);
  std::filesystem::remove_all(folder / "train");
  EXPECT_FALSE(source->draw(2, 0));
  experiment.data.path = "";
  EXPECT_EQ(openSequences(experiment, SequenceSplit::Train).error().where, "data.path");
}

TEST(Sequences, DamagedImagesAreNamedOnceAndNotByTheHundreds) {
  const TemporaryFolder folder;
  writeClasses(folder / "train", {"a", "b"}, 30);
  writeClasses(folder / "val", {"a", "b"}, 1);
  SequenceExperiment experiment = imageExperiment();
  experiment.data.dataset = "image-folder";
  experiment.data.path = folder.path().string();
  const auto warningsOf = [&](int damaged) {
    for (int i = 0; i < damaged; ++i)
      writeBytes(folder / ("train/a/" + std::to_string(i) + ".png"), "no image");
    std::vector<std::string> warnings;
    setLogSink([&](LogLevel, const std::string& message) { warnings.push_back(message); });
    const auto source = valueOrThrow(openSequences(experiment, SequenceSplit::Train));
    for (std::int64_t i = 0; i < 3 * source->size(); ++i)
      EXPECT_TRUE(source->draw(2, i));
    setLogSink({});
    return warnings;
  };
  const auto two = warningsOf(2);
  ASSERT_EQ(two.size(), 2u);
  EXPECT_NE((two[0] + two[1]).find("0.png"), std::string::npos) << two[0];
  EXPECT_NE((two[0] + two[1]).find("1.png"), std::string::npos) << two[1];
  const auto many = warningsOf(28);
  ASSERT_EQ(many.size(), 21u);
  EXPECT_EQ(many[19].rfind("skipped ", 0), 0u) << many[19];
  EXPECT_NE(many[20].find("more than 20"), std::string::npos) << many[20];
}

}  // namespace
}  // namespace headlight
