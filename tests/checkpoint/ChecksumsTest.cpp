// SPDX-License-Identifier: GPL-3.0-or-later

// A bit that flips anywhere in a file is noticed.

#include <gtest/gtest.h>

#include <ATen/Functions.h>

#include "core/checkpoint/Checkpoint.h"
#include "tests/TemporaryFolder.h"

namespace headlight {
namespace {

TEST(Checksums, AnyFlippedBitOfTheDataIsRefused) {
  const TemporaryFolder folder;
  const NamedTensors tensors{{"a", at::ones({3})}, {"b", at::arange(4)}, {"none", at::ones({0})}};
  const OpenFolder run = valueOrThrow(OpenFolder::open(folder.path()));
  ASSERT_TRUE(writeSafetensors(run, "a", tensors, {{"format", "pt"}}));
  const std::string bytes = valueOrThrow(readFile(folder / "a", 1u << 20));
  const std::size_t data = 3 * 4 + 4 * 8;
  for (std::size_t at = bytes.size() - data; at < bytes.size(); ++at) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 4);
    const auto read = parseSafetensors(changed, "changed");
    ASSERT_FALSE(read) << at;
    EXPECT_EQ(read.error().code, ErrorCode::InvalidFile);
    EXPECT_NE(read.error().message.find("tensor"), std::string::npos) << read.error().text();
  }
}

TEST(Checksums, InARunsFolderTheMetadataCountToo) {
  const TemporaryFolder folder;
  const OpenFolder run = valueOrThrow(OpenFolder::open(folder.path()));
  ASSERT_TRUE(writeSafetensors(run, "a", {{"a", at::ones({3})}}, {{"training", "step 10"}}));
  std::string bytes = valueOrThrow(readFile(folder / "a", 1u << 20));
  bytes[bytes.find("step 10") + 5] = '3';
  ASSERT_TRUE(run.write("a", bytes));
  const auto read = readSafetensors(run, "a");
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("metadata"), std::string::npos) << read.error().text();
  EXPECT_TRUE(readSafetensors(folder / "a")) << "elsewhere they are anybody's to edit";
}

TEST(Checksums, ComeAndGoUnseen) {
  const TemporaryFolder folder;
  const OpenFolder run = valueOrThrow(OpenFolder::open(folder.path()));
  const std::map<std::string, std::string> metadata{{"format", "pt"}, {"note", "ß"}};
  ASSERT_TRUE(writeSafetensors(run, "a", {{"a", at::ones({3})}}, metadata));
  EXPECT_EQ(valueOrThrow(readSafetensors(folder / "a")).metadata, metadata);
  EXPECT_EQ(valueOrThrow(readSafetensors(run, "a")).metadata, metadata);
}

TEST(Checksums, FilesWithoutThemAreTakenAsTheyAre) {
  const auto read = readSafetensors(std::string(HEADLIGHT_GOLDEN_DIR) + "/vit_micro.safetensors");
  EXPECT_TRUE(read) << read.error().text();
}

}  // namespace
}  // namespace headlight
