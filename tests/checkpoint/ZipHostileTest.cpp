// SPDX-License-Identifier: GPL-3.0-or-later

// Archives that are damaged, or say one thing here and another there.

#include "core/base/files/Files.h"
#include "tests/checkpoint/CheckpointTesting.h"
#include "tests/checkpoint/FileBuilders.h"

namespace headlight::testing {
namespace {

std::vector<ZipItem> honest() {
  PickleWriter writer;
  writer.dict().text("w").tensor({}).raw("s");
  return pthItems(writer.finish(), {{"0", countingFloats(6)}});
}

/// Item 0 is the pickle, 1 the storage, 2 the version.
template <typename Lie>
void expectRefusedWith(Lie lie, const std::string& word, ErrorCode code = ErrorCode::InvalidFile) {
  SCOPED_TRACE(word);
  auto items = honest();
  ZipOptions options;
  lie(items, options);
  expectRefused(parsePth(zipBytes(items, options), "made-up.pth"), code, word);
}

using Items = std::vector<ZipItem>&;
using Options = ZipOptions&;

TEST(ZipHostile, TheHonestArchiveIsAccepted) {
  const auto read = parsePth(zipBytes(honest()), "honest.pth");
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_TRUE(at::equal(read->tensors[0].second, at::arange(6).to(at::kFloat).view({2, 3})));
}

TEST(ZipHostile, LocalAndCentralEntriesAgree) {
  expectRefusedWith([](Items items, Options) { items[1].localName = "archive/data/1"; },
                    "is named \"archive/data/1\"");
  expectRefusedWith([](Items items, Options) { items[1].localFlags = 0; }, "disagree");
  expectRefusedWith([](Items items, Options) { items[1].localCrc = 12345; }, "disagree");
  expectRefusedWith([](Items items, Options) { items[1].descriptorCrc = 12345; }, "disagree");
  expectRefusedWith([](Items items, Options) { items[1].centralCrc = 12345; }, "disagree");
  expectRefusedWith([](Items items, Options) { items[1].centralSize = 8; }, "disagree");
  expectRefusedWith(
      [](Items items, Options) {
        items[1].flags = 0;
        items[1].centralSize = 8;
      },
      "disagree");
  expectRefusedWith([](Items items, Options) { items[1].centralSize = 0x7FFFFFFF; },
                    "more than the archive");
}

TEST(ZipHostile, ChecksumsAreChecked) {
  const std::string whole = zipBytes(honest());
  for (const std::string& content : {countingFloats(6), std::string("_rebuild_tensor_v2")}) {
    std::string damaged = whole;
    const std::size_t at = damaged.find(content);
    ASSERT_NE(at, std::string::npos);
    damaged[at + 5] ^= 1;
    expectRefused(parsePth(damaged, "damaged.pth"), ErrorCode::InvalidFile, "checksum");
  }
}

TEST(ZipHostile, EntriesNeitherOverlapNorRepeat) {
  expectRefusedWith([](Items items, Options) { items[2] = items[1]; }, "twice");
  expectRefusedWith([](Items items, Options) { items[2].centralOffset = 0; }, "overlaps");
  expectRefusedWith([](Items items, Options) { items[2].centralOffset = 40; }, "overlaps");
  // A whole entry inside another's data: both readings are well formed by themselves.
  auto items = honest();
  const std::string inner = zipBytes({{"archive/data/1", countingFloats(2)}}, {.zip64End = false});
  items[1].data = inner.substr(0, inner.find("PK\x01\x02"));
  const std::string once = zipBytes(items);
  items.push_back({"archive/data/1", countingFloats(2)});
  items.back().centralOffset = static_cast<std::int64_t>(once.find(items[1].data));
  expectRefused(parsePth(zipBytes(items), "made-up.pth"), ErrorCode::InvalidFile, "overlaps");
}

TEST(ZipHostile, NoBytesAreHidden) {
  expectRefusedWith([](Items items, Options) { items[0].before = "PK is a script\n"; },
                    "hides bytes");
  expectRefusedWith([](Items items, Options) { items[1].before = "x"; }, "hides bytes");
  expectRefusedWith([](Items, Options options) { options.beforeDirectory = "x"; }, "hides bytes");
  expectRefusedWith([](Items, Options options) { options.comment = "hi"; },
                    "cut short or has extra data");
  expectRefused(parsePth(zipBytes(honest()) + "x", "made-up.pth"), ErrorCode::InvalidFile,
                "cut short or has extra data");
  expectRefused(parsePth("PKx" + zipBytes(honest()), "made-up.pth"), ErrorCode::InvalidFile,
                "zip64 locator");
}

TEST(ZipHostile, TheDirectoryIsWhereItIsSaidToBe) {
  expectRefusedWith([](Items, Options options) { options.zip64Count = 2; }, "two ends");
  expectRefusedWith([](Items, Options options) { options.zip64Count = INT64_MAX; }, "two ends");
  const std::string narrow = zipBytes(honest(), {.zip64End = false});
  const auto withEnd = [&](std::size_t from, const std::string& lie) {
    std::string bytes = narrow;
    bytes.replace(bytes.size() - 22 + from, lie.size(), lie);
    return parsePth(bytes, "made-up.pth");
  };
  ASSERT_TRUE(withEnd(0, "PK\x05\x06").ok());
  expectRefused(withEnd(4, "\x01"), ErrorCode::InvalidFile, "several parts");
  expectRefused(withEnd(8, "\x02"), ErrorCode::InvalidFile, "several parts");
  expectRefused(withEnd(8, "\x02\x00\x02"), ErrorCode::InvalidFile, "several parts");
  expectRefused(withEnd(8, std::string("\x02\x00\x02\x00", 4)), ErrorCode::InvalidFile,
                "more entries");
  expectRefused(withEnd(8, std::string("\x04\x00\x04\x00", 4)), ErrorCode::InvalidFile,
                "which is impossible");
  expectRefused(withEnd(8, "\xff\xff\xff\xff"), ErrorCode::InvalidFile, "which is impossible");
  expectRefused(withEnd(12, "\xff\xff\xff\xff"), ErrorCode::InvalidFile, "not where");
  expectRefused(withEnd(16, std::string("\x00\x00\x00\x00", 4)), ErrorCode::InvalidFile,
                "not where");
}

TEST(ZipHostile, OnlyStoredPlainEntries) {
  expectRefusedWith([](Items items, Options) { items[1].method = 8; }, "compressed",
                    ErrorCode::UnsupportedFile);
  expectRefusedWith([](Items items, Options) { items[0].method = 8; }, "compressed",
                    ErrorCode::UnsupportedFile);
  expectRefusedWith([](Items items, Options) { items[1].method = 12; }, "unknown kind");
  expectRefusedWith([](Items items, Options) { items[1].flags = 0x0809; }, "encrypted");
}

TEST(ZipHostile, EveryTruncationOfARealFileIsRefused) {
  const std::string whole = valueOrThrow(readFile(golden("torch_varied.pth"), 1 << 24));
  ASSERT_TRUE(parsePth(whole, "whole").ok());
  for (std::size_t size = 2; size < whole.size(); ++size) {
    const auto result = parsePth(std::string_view(whole).substr(0, size), "cut");
    ASSERT_FALSE(result.ok()) << size;
    ASSERT_EQ(static_cast<int>(result.error().code), static_cast<int>(ErrorCode::InvalidFile))
        << result.error().text();
  }
}

TEST(ZipHostile, EveryBitOfARealFileMattersOrIsHarmless) {
  const std::string whole = valueOrThrow(readFile(golden("torch_varied.pth"), 1 << 24));
  const Checkpoint expected = valueOrThrow(parsePth(whole, "whole"));
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string flipped = whole;
    flipped[i] ^= static_cast<char>(1 << (i % 8));
    const auto result = parsePth(flipped, "flipped");
    if (result.ok()) expectSameTensors(result->tensors, expected.tensors);
  }
}

TEST(ZipHostile, OtherArchivesAndFormatsAreNamed) {
  const auto unsupported = ErrorCode::UnsupportedFile;
  expectRefused(parsePth(zipBytes({{"readme.txt", "hi"}}), "x.pth"), unsupported,
                "without data.pkl");
  expectRefused(parsePth(zipBytes({}), "x.pth"), unsupported, "without data.pkl");
  expectRefused(parsePth(zipBytes({{"data.pkl", "."}}), "x.pth"), unsupported, "without data.pkl");
  expectRefusedWith([](Items items, Options) { items[2].name = "elsewhere/version"; },
                    "outside its folder");
  expectRefusedWith(
      [](Items items, Options) {
        items[2] = {"archive/byteorder", "big"};
      },
      "big-endian", unsupported);
  expectRefused(parsePth(std::string(257, 'x') + "ustar" + std::string(250, '\0'), "x.pth"),
                unsupported, "tar archive");
  expectRefused(parsePth("", "x.pth"), ErrorCode::InvalidFile, "empty");
}

TEST(ZipHostile, MoreEntriesThanAnyCheckpointHas) {
  ZipOptions options;
  options.zip64Count = 131073;
  std::string file = zipBytes(honest(), options);
  file.replace(file.size() - 14, 4, "\xff\xff\xff\xff");  // more than the narrow record can say
  expectRefused(parsePth(file, "made-up.pth"), ErrorCode::InvalidFile, "at most 131072");
}

}  // namespace
}  // namespace headlight::testing
