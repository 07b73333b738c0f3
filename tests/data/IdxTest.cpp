// SPDX-License-Identifier: GPL-3.0-or-later

// IDX files: plain and gzipped, and headers that lie.

#include <gtest/gtest.h>
#include "tests/Gzip.h"
#include "tests/data/Refusals.h"
#include "tests/data/Support.h"

namespace headlight {
namespace {

using test::gzipped;
using test::specOf;
using test::TemporaryFolder;

std::string bigEndian(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8)
    bytes += static_cast<char>(value >> shift);
  return bytes;
}

std::string header(std::vector<std::uint32_t> sizes) {
  std::string bytes = bigEndian(0x800 + static_cast<std::uint32_t>(sizes.size()));
  for (const std::uint32_t size : sizes)
    bytes += bigEndian(size);
  return bytes;
}

/// Images of 4 × 5 (height × width); pixel p of image i is i + p.
std::string images(int count) {
  std::string bytes = header({static_cast<std::uint32_t>(count), 4, 5});
  for (int i = 0; i < count; ++i)
    for (int p = 0; p < 20; ++p)
      bytes += static_cast<char>(i + p);
  return bytes;
}

std::string labels(int count, int classes) {
  std::string bytes = header({static_cast<std::uint32_t>(count)});
  for (int i = 0; i < count; ++i)
    bytes += static_cast<char>(i % classes);
  return bytes;
}

TEST(Idx, ReadsEveryWayTheFilesAreCalled) {
  for (const std::string separator : {"-", "."}) {
    for (const std::string suffix : {"", ".gz"}) {
      const TemporaryFolder folder;
      const auto write = [&](const std::string& name, int dimensions, const std::string& bytes) {
        test::writeBytes(
            folder / (name + separator + "idx" + std::to_string(dimensions) + "-ubyte" + suffix),
            suffix.empty() ? bytes : gzipped(bytes));
      };
      write("train-images", 3, images(30));
      write("train-labels", 1, labels(30, 3));
      write("t10k-images", 3, images(8));
      write("t10k-labels", 1, labels(8, 4));
      EXPECT_EQ(detectDatasetKind(folder.path()), "idx");
      const auto spec = specOf("idx", folder.path());
      const auto train = openDataset(spec, Split::Train);
      ASSERT_TRUE(train.ok()) << train.error().text();
      const auto validation = openDataset(spec, Split::Validation);
      ASSERT_TRUE(validation.ok()) << validation.error().text();
      EXPECT_EQ((*train)->size(), 30);
      EXPECT_EQ((*validation)->size(), 8);
      const std::vector<std::string> expected = {"0", "1", "2", "3"};  // 3 is in validation alone
      EXPECT_EQ((*train)->classNames(), expected);
      EXPECT_EQ((*validation)->classNames(), expected);
      const auto sample = valueOrThrow((*train)->sample(10));
      EXPECT_EQ(sample.label, 1);
      EXPECT_EQ(sample.image.width, 5);
      EXPECT_EQ(sample.image.height, 4);
      for (int c = 0; c < 3; ++c)
        EXPECT_EQ(sample.image.row(2)[3 * 1 + c], 10 + 11);
    }
  }
}

TEST(Idx, SharesOutTrainingWithoutT10k) {
  const TemporaryFolder folder;
  test::writeBytes(folder / "train-images-idx3-ubyte", images(40));
  test::writeBytes(folder / "train-labels-idx1-ubyte", labels(40, 4));
  auto spec = specOf("idx", folder.path());
  spec.validationFraction = 0.25;
  EXPECT_EQ(valueOrThrow(openDataset(spec, Split::Train))->size(), 28);  // 10 a class: 3 held back
  EXPECT_EQ(valueOrThrow(openDataset(spec, Split::Validation))->size(), 12);
}

class IdxHostile : public ::testing::Test {
 protected:
  void writePair(const std::string& imageBytes, const std::string& labelBytes) {
    test::writeBytes(m_folder / "train-images-idx3-ubyte", imageBytes);
    test::writeBytes(m_folder / "train-labels-idx1-ubyte", labelBytes);
  }
  void expectRefused(const std::string& imageBytes, const std::string& labelBytes,
                     const std::string& part) {
    writePair(imageBytes, labelBytes);
    const std::string message = refusal(specOf("idx", m_folder.path()));
    EXPECT_TRUE(contains(message, part)) << "expected \"" << part << "\" in: " << message;
  }
  TemporaryFolder m_folder;
};

TEST_F(IdxHostile, MissingFiles) {
  const auto spec = specOf("idx", m_folder.path());
  EXPECT_TRUE(contains(refusal(spec), "train-images-idx3-ubyte"));
  test::writeBytes(m_folder / "train-images-idx3-ubyte", images(4));
  EXPECT_TRUE(contains(refusal(spec), "not the labels"));
}

TEST_F(IdxHostile, TruncatedOrTooLong) {
  expectRefused(images(4).substr(0, 50), labels(4, 2), "its header declares");
  expectRefused(images(4) + "x", labels(4, 2), "its header declares");
  expectRefused(images(4), labels(4, 2).substr(0, 9), "its header declares");
  expectRefused("", labels(4, 2), "ends early");
  expectRefused(images(4).substr(0, 7), labels(4, 2), "ends early");
}

TEST_F(IdxHostile, LyingHeaders) {
  expectRefused(header({0xffffffff, 0xffffffff, 0xffffffff}), labels(4, 2), "items");
  expectRefused(header({4, 0x80000000, 2}), labels(4, 2), "side");
  expectRefused(header({4, 0, 5}), labels(4, 2), "side");
  expectRefused(header({100000000, 8192, 8192}), labels(4, 2), "at most");
  expectRefused(header({0, 4, 5}), labels(4, 2), "empty");
  expectRefused(images(4), header({0}), "empty");
  expectRefused("\x89PNG and so on, more than sixteen bytes", labels(4, 2), "does not begin");
  expectRefused(labels(4, 2) + std::string(50, '\0'), labels(4, 2), "does not begin");
}

TEST_F(IdxHostile, WrongLabels) {
  expectRefused(images(4), labels(5, 2), "4 images");
  expectRefused(images(4), labels(4, 1), "same label");
}

TEST_F(IdxHostile, GzipBombsEndAtTheDeclaredSize) {
  // 64 MiB of zeros in some 64 KiB, behind a header that declares 4 small images.
  const std::string bomb = gzipped(images(4) + std::string(64u << 20, '\0'));
  ASSERT_LT(bomb.size(), 100'000u);
  expectRefused(bomb, labels(4, 2), "more bytes than its header declares");
}

TEST_F(IdxHostile, DamagedGzip) {
  const std::string good = gzipped(images(4));
  expectRefused(good.substr(0, good.size() / 2), labels(4, 2), "");
  std::string flipped = good;
  flipped[flipped.size() - 6] ^= 1;  // in the checksum
  expectRefused(flipped, labels(4, 2), "decompressed");
  writePair(good, labels(4, 2));
  EXPECT_EQ(refusal(specOf("idx", m_folder.path())), "");
  // Declares more than follows: nothing of that size is ever held.
  expectRefused(gzipped(header({100000, 100, 100}) + "abc"), labels(4, 2), "ends early");
}

}  // namespace
}  // namespace headlight
