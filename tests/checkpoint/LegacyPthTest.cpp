// SPDX-License-Identifier: GPL-3.0-or-later

// .pth files of torch before 1.6: pickles one after another, then the storages.

#include "core/base/files/Files.h"
#include "tests/checkpoint/CheckpointTesting.h"
#include "tests/checkpoint/FileBuilders.h"

namespace headlight::testing {
namespace {

std::string pickleOf(const PickleWriter::Tensor& tensor = {}) {
  return PickleWriter().dict().text("w").tensor(tensor).raw("s").finish();
}

std::string honest() {
  return legacyPthBytes(pickleOf(), {{"0", countingFloats(6)}});
}

Result<Checkpoint> withLie(const LegacyOptions& options) {
  return parsePth(legacyPthBytes(pickleOf(), {{"0", countingFloats(6)}}, options), "made-up.pth");
}

void expectInvalid(const Result<Checkpoint>& result, const std::string& word) {
  SCOPED_TRACE(word);
  expectRefused(result, ErrorCode::InvalidFile, word);
}

TEST(LegacyPth, TensorsAreRead) {
  const Checkpoint read = valueOrThrow(parsePth(honest(), "old.pth"));
  EXPECT_EQ(read.format, "pth");
  expectSameTensors(read.tensors, {{"w", at::arange(6).to(at::kFloat).view({2, 3})}});
}

TEST(LegacyPth, TorchsOwnIsRead) {
  const Checkpoint read =
      valueOrThrow(readCheckpoint(golden("transformers/legacy_pickle/model.pth")));
  EXPECT_TRUE(read.notes.empty());
  EXPECT_EQ(read.tensors.size(), 32u);
  EXPECT_EQ(read.tensors.front().first, "cls_token");
}

TEST(LegacyPth, EmptyStoragesAndViewsAreRead) {
  PickleWriter writer;
  writer.dict().text("none").tensor({"FloatStorage", "1", 0, 0, {0}, {1}}).raw("s");
  writer.text("tail").tensor({"FloatStorage", "0", 6, 4, {2}, {1}}).raw("s");
  const auto read =
      parsePth(legacyPthBytes(writer.finish(), {{"0", countingFloats(6)}, {"1", ""}}), "old.pth");
  ASSERT_TRUE(read.ok()) << read.error().text();
  expectSameTensors(read->tensors,
                    {{"none", at::empty({0})}, {"tail", at::arange(4, 6).to(at::kFloat)}});
}

TEST(LegacyPth, EveryTruncationIsRefused) {
  const std::string whole = honest();
  for (std::size_t size = 15; size < whole.size(); ++size) {
    const auto result = parsePth(std::string_view(whole).substr(0, size), "cut.pth");
    ASSERT_FALSE(result.ok()) << size;
    EXPECT_EQ(static_cast<int>(result.error().code), static_cast<int>(ErrorCode::InvalidFile))
        << result.error().text();
  }
}

TEST(LegacyPth, EveryBitMattersOrIsHarmless) {
  const std::string whole = honest();
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string flipped = whole;
    flipped[bit / 8] ^= static_cast<char>(1 << (bit % 8));
    const auto result = parsePth(flipped, "flipped.pth");
    if (!result.ok()) {
      EXPECT_NE(static_cast<int>(result.error().code), static_cast<int>(ErrorCode::Internal))
          << result.error().text();
    }
  }
}

TEST(LegacyPth, LiesAreRefused) {
  expectInvalid(withLie({.protocol = 1000}), "unknown version");
  expectRefused(withLie({.littleEndian = false}), ErrorCode::UnsupportedFile, "big-endian");
  expectInvalid(withLie({.keys = {"0", "0"}}), "twice");
  expectInvalid(withLie({.keys = {"9"}}), "no tensor has");
  expectInvalid(withLie({.counts = {{"0", 5}}}), "two different sizes");
  expectInvalid(withLie({.counts = {{"0", INT64_MAX}}}), "two different sizes");
  expectInvalid(withLie({.counts = {{"0", -1}}}), "two different sizes");
  expectInvalid(withLie({.after = "x"}), "continues after");
}

TEST(LegacyPth, StoragesAreInTheFile) {
  const auto tensor = [](const PickleWriter::Tensor& t) {
    return parsePth(legacyPthBytes(pickleOf(t), {{"0", countingFloats(6)}}), "made-up.pth");
  };
  expectInvalid(tensor({.elements = 7}), "two different sizes");
  expectInvalid(tensor({.elements = INT64_MAX}), "but the file has only");
  expectInvalid(tensor({.key = "1"}), "no tensor has");
  expectInvalid(tensor({.offset = 1}), "beyond its storage");
  expectInvalid(tensor({.sizes = {INT64_MAX, 8}}), "impossible");
  const std::string short6 =
      legacyPthBytes(pickleOf(), {{"0", countingFloats(5)}}, {.counts = {{"0", 6}}});
  expectInvalid(parsePth(short6, "made-up.pth"), "cut short in the storage");
}

TEST(LegacyPth, OneStorageIsOfOneKind) {
  PickleWriter writer;
  writer.dict().text("w").tensor({}).raw("s");
  writer.text("x").tensor({"IntStorage", "0", 6, 0, {6}, {1}}).raw("s");
  expectInvalid(parsePth(legacyPthBytes(writer.finish(), {{"0", countingFloats(6)}}), "x.pth"),
                "in two ways");
}

TEST(LegacyPth, NothingIsRun) {
  PickleWriter writer;
  writer.dict().text("w").tensor({}).raw("s").text("x");
  writer.global("os", "system").mark().text("touch executed").raw("tRs");
  expectInvalid(parsePth(legacyPthBytes(writer.finish(), {{"0", countingFloats(6)}}), "x.pth"),
                "built to attack");
}

}  // namespace
}  // namespace headlight::testing
