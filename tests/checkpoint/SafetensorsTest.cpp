// SPDX-License-Identifier: GPL-3.0-or-later
#include <sys/stat.h>

#include <cmath>

#include "core/base/files/Files.h"
#include "tests/checkpoint/CheckpointTesting.h"
#include "tests/checkpoint/FileBuilders.h"

namespace headlight::testing {
namespace {

class SafetensorsTest : public FolderTest {
 protected:
  Checkpoint roundTrip(const NamedTensors& tensors,
                       const std::map<std::string, std::string>& metadata = {}) {
    const auto written = writeSafetensors(path("a.safetensors"), tensors, metadata);
    EXPECT_TRUE(written.ok()) << (written.ok() ? "" : written.error().text());
    return valueOrThrow(readSafetensors(path("a.safetensors")));
  }
};

TEST_F(SafetensorsTest, EveryDtypeComesBackToTheBit) {
  const at::Tensor base = at::arange(-5, 7).reshape({3, 4});
  NamedTensors tensors;
  for (const auto type : {at::kBool, at::kDouble, at::kFloat, at::kHalf, at::kBFloat16, at::kLong,
                          at::kInt, at::kShort, at::kChar, at::kByte})
    tensors.emplace_back(std::string("of ") + c10::toString(type), (base * 7).to(type));
  const Checkpoint back = roundTrip(tensors);
  expectSameTensors(back.tensors, tensors);
  EXPECT_EQ(back.format, "safetensors");
  for (std::size_t i = 0; i < tensors.size(); ++i)
    EXPECT_EQ(back.tensors[i].first, tensors[i].first) << "the order changed";
}

TEST_F(SafetensorsTest, ShapesOfEveryKindComeBack) {
  const at::Tensor wide = at::rand({4, 6});
  const NamedTensors tensors{{"scalar", at::tensor(3.5f).reshape({})},
                             {"empty", at::empty({0, 7})},
                             {"transposed", wide.t()},
                             {"sliced", wide.slice(1, 1, 5, 2)},
                             {"expanded", at::rand({1, 3}).expand({5, 3})},
                             {"needs grad", at::rand({2}).requires_grad_()},
                             {"név ✓ \"quoted\"", at::ones({1})}};
  expectSameTensors(roundTrip(tensors).tensors, tensors);
  expectSameTensors(roundTrip({}).tensors, {});
}

TEST_F(SafetensorsTest, NanAndInfinityKeepTheirBits) {
  const at::Tensor odd = at::tensor({std::nan(""), -INFINITY, -0.0, 1e-310});
  const Checkpoint back = roundTrip({{"odd", odd}});
  EXPECT_TRUE(at::equal(back.tensors[0].second.view(at::kLong), odd.view(at::kLong)));
}

TEST_F(SafetensorsTest, MetadataTravels) {
  const std::map<std::string, std::string> metadata{
      {"classes", R"(["cat","dog"])"}, {"empty", ""}, {"ünï", "line\nline \x01 \"end\""}};
  EXPECT_EQ(roundTrip({{"a", at::ones({2})}}, metadata).metadata, metadata);
}

TEST_F(SafetensorsTest, DataIsAlignedForReadersThatMapIt) {
  (void)roundTrip({{"flag", at::ones({3}, at::kBool)}, {"weight", at::ones({2}, at::kDouble)}});
  const std::string bytes = valueOrThrow(readFile(path("a.safetensors"), 1 << 20));
  const auto header = static_cast<std::size_t>(static_cast<unsigned char>(bytes[0])) +
                      (static_cast<std::size_t>(static_cast<unsigned char>(bytes[1])) << 8);
  EXPECT_EQ(header % 8, 0u);
  EXPECT_NE(bytes.find(R"("weight":{"dtype":"F64","shape":[2],"data_offsets":[0,16]})"),
            std::string::npos)
      << bytes;
}

TEST_F(SafetensorsTest, ReadsWhatTheReferenceImplementationWrote) {
  const Checkpoint vit = valueOrThrow(readCheckpoint(golden("vit_micro.safetensors")));
  EXPECT_EQ(vit.format, "safetensors");
  EXPECT_EQ(vit.tensors.size(), 44u);
  EXPECT_EQ(vit.metadata.at("source").substr(0, 4), "timm");
  expectSameTensors(roundTrip(vit.tensors, vit.metadata).tensors, vit.tensors);
}

TEST_F(SafetensorsTest, WritingRefusesWhatTheFormatCannotHold) {
  const auto write = [&](const NamedTensors& tensors,
                         const std::map<std::string, std::string>& metadata = {}) {
    return writeSafetensors(path("b.safetensors"), tensors, metadata);
  };
  const at::Tensor one = at::ones({1});
  const auto invalid = ErrorCode::InvalidArgument;
  expectRefused(write({{"a", one}, {"a", one}}), invalid, "twice");
  expectRefused(write({{"__metadata__", one}}), invalid, "the format reserves");
  expectRefused(write({{"a", at::Tensor()}}), invalid, "undefined");
  expectRefused(write({{"a", at::ones({1}, at::kComplexFloat)}}), invalid, "dtype");
  expectRefused(write({{"a", at::eye(2).to_sparse()}}), invalid, "sparse");
  expectRefused(write({{"a\x1b[31m", one}}), invalid, "control characters");
  expectRefused(write({{"a", one}}, {{"key", "\xff\xfe"}}), invalid, "UTF-8");
  EXPECT_TRUE(std::filesystem::is_empty(m_folder)) << "a refused write left something behind";
}

TEST_F(SafetensorsTest, AFailedWriteKeepsTheOldFile) {
  (void)roundTrip({{"old", at::ones({4})}});
  const auto refused = writeSafetensors(path("a.safetensors"), {{"bad", at::Tensor()}});
  EXPECT_FALSE(refused.ok());
  const Checkpoint still = valueOrThrow(readSafetensors(path("a.safetensors")));
  ASSERT_EQ(still.tensors.size(), 1u);
  EXPECT_EQ(still.tensors[0].first, "old");
  const auto entries = std::distance(std::filesystem::directory_iterator(m_folder), {});
  EXPECT_EQ(entries, 1) << "a partial file was left beside";
}

TEST_F(SafetensorsTest, AFullDiskIsAnErrorAndKeepsTheOldFile) {
  // /dev/full takes nothing: the partial file, had it been written there, would be this.
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  std::filesystem::create_symlink("/dev/full",
                                  path("a.safetensors.part" + std::to_string(::getpid())));
  const auto written = writeSafetensors(path("a.safetensors"), {{"a", at::ones({1 << 16})}});
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(static_cast<int>(written.error().code), static_cast<int>(ErrorCode::Io));
  EXPECT_NE(written.error().message.find("free some space"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path("a.safetensors")));
}

TEST_F(SafetensorsTest, WritingIntoNothingSaysSo) {
  const auto written = writeSafetensors(path("no such folder") / "a.safetensors", {});
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(static_cast<int>(written.error().code), static_cast<int>(ErrorCode::NotFound));
}

TEST_F(SafetensorsTest, FilesAreToldApartByContentNotByName) {
  std::filesystem::copy(golden("vit_micro.safetensors"), path("weights.pth"));
  std::filesystem::copy(golden("vit_micro_state_dict.pth"), path("weights.safetensors"));
  EXPECT_EQ(valueOrThrow(readCheckpoint(path("weights.pth"))).format, "safetensors");
  EXPECT_EQ(valueOrThrow(readCheckpoint(path("weights.safetensors"))).format, "pth");
  expectRefused(readSafetensors(path("weights.safetensors")), ErrorCode::UnsupportedFile, "'{'");
  const std::string bytes = valueOrThrow(readFile(path("weights.pth"), 1 << 24));
  expectRefused(parsePth(bytes, "weights.pth"), ErrorCode::UnsupportedFile, "neither");
}

TEST_F(SafetensorsTest, WhatIsNoFileIsRefused) {
  expectRefused(readCheckpoint(path("nothing")), ErrorCode::NotFound, "could not open");
  expectRefused(readCheckpoint(m_folder), ErrorCode::UnsupportedFile, "not a regular file");
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  expectRefused(readCheckpoint(path("pipe")), ErrorCode::UnsupportedFile, "not a regular file");
  ASSERT_TRUE(writeFileAtomically(path("empty"), std::string_view()).ok());
  expectRefused(readCheckpoint(path("empty")), ErrorCode::InvalidFile, "empty");
  ASSERT_TRUE(writeFileAtomically(path("short"), "PK").ok());
  expectRefused(readCheckpoint(path("short")), ErrorCode::InvalidFile, "too short");
  ASSERT_TRUE(writeFileAtomically(path("text"), "hello, I am no checkpoint").ok());
  expectRefused(readCheckpoint(path("text")), ErrorCode::UnsupportedFile, "neither");
}

}  // namespace
}  // namespace headlight::testing
