// SPDX-License-Identifier: GPL-3.0-or-later

// Safetensors files that are damaged or made up: each is refused for its own reason.

#include "core/base/files/Files.h"
#include "tests/checkpoint/CheckpointTesting.h"
#include "tests/checkpoint/FileBuilders.h"

namespace headlight::testing {
namespace {

Result<Checkpoint> parse(const std::string& header, const std::string& data = {}) {
  return parseSafetensors(safetensorsBytes(header, data), "made-up.safetensors");
}

void expectInvalid(const std::string& header, const std::string& data, const std::string& word) {
  SCOPED_TRACE(header.substr(0, 200));
  expectRefused(parse(header, data), ErrorCode::InvalidFile, word);
}

TEST(SafetensorsHostile, TheSmallestHonestFileIsAccepted) {
  const auto one =
      parse(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})", std::string("\x07\x09"));
  ASSERT_TRUE(one.ok()) << one.error().text();
  EXPECT_EQ(one->tensors[0].second[1].item<int>(), 9);
  EXPECT_TRUE(parse("{}").ok());
}

TEST(SafetensorsHostile, EveryTruncationOfARealFileIsRefused) {
  const std::string whole = valueOrThrow(readFile(golden("vit_micro.safetensors"), 1 << 24));
  for (std::size_t size = 0; size < whole.size(); size += size < 5000 ? 61 : 9973) {
    const auto result = parseSafetensors(std::string_view(whole).substr(0, size), "cut");
    ASSERT_FALSE(result.ok()) << size;
    EXPECT_EQ(static_cast<int>(result.error().code), static_cast<int>(ErrorCode::InvalidFile));
  }
  expectRefused(parseSafetensors(std::string_view(whole).substr(0, whole.size() - 1), "cut"),
                ErrorCode::InvalidFile, "cut short");
}

TEST(SafetensorsHostile, TheHeaderLengthIsNotBelieved) {
  const std::string header = "{}";
  const auto withLength = [&](std::uint64_t length) {
    return parseSafetensors(littleEndian(length, 8) + header, "made-up");
  };
  expectRefused(withLength(3), ErrorCode::InvalidFile, "cut short");
  expectRefused(withLength(99'000'000), ErrorCode::InvalidFile, "cut short");
  expectRefused(withLength(100'000'001), ErrorCode::InvalidFile, "100 MB");
  expectRefused(withLength(~std::uint64_t{0}), ErrorCode::InvalidFile, "100 MB");
  expectRefused(withLength(std::uint64_t{1} << 63), ErrorCode::InvalidFile, "100 MB");
  expectRefused(withLength(0), ErrorCode::InvalidFile, "JSON");
}

TEST(SafetensorsHostile, TheHeaderIsOneObjectThatBeginsAtOnce) {
  expectRefused(parse(" {}"), ErrorCode::UnsupportedFile, "'{'");
  expectRefused(parse("[]"), ErrorCode::UnsupportedFile, "'{'");
  EXPECT_TRUE(parse("{}      ").ok()) << "padding after the header is allowed";
  expectInvalid("{} {}", "", "JSON");
  expectInvalid("{", "", "JSON");
  expectInvalid("{\"a\xff\":1}", "", "JSON");
}

TEST(SafetensorsHostile, OffsetsCoverTheDataExactly) {
  const auto two = [](const std::string& a, const std::string& b) {
    return R"({"a":{"dtype":"U8","shape":[4],"data_offsets":)" + a +
           R"(},"b":{"dtype":"U8","shape":[4],"data_offsets":)" + b + "}}";
  };
  const std::string eight(8, 'x');
  EXPECT_TRUE(parse(two("[0,4]", "[4,8]"), eight).ok());
  EXPECT_TRUE(parse(two("[4,8]", "[0,4]"), eight).ok());
  expectInvalid(two("[0,4]", "[2,6]"), eight, "inside the tensor before it");
  expectInvalid(two("[0,4]", "[0,4]"), eight, "inside the tensor before it");
  expectInvalid(two("[0,4]", "[5,9]"), eight + "x", "hole");
  expectInvalid(two("[1,5]", "[5,9]"), eight + "x", "hole");
  expectInvalid(two("[0,4]", "[4,8]"), eight + "x", "after its end");
  expectInvalid(two("[0,4]", "[8,12]"), eight, "cut short");
  expectInvalid(two("[0,4]", "[18446744073709551612,18446744073709551615]"), eight,
                "needs 4 bytes");
  expectInvalid(two("[0,4]", "[8,4]"), eight, "needs 4 bytes");
  expectInvalid(two("[0,4]", "[4]"), eight, "not two numbers");
  expectInvalid(two("[0,4]", "[4,8,8]"), eight, "another type");
  expectInvalid(two("[0,4]", "[4,-8]"), eight, "negative");
  expectInvalid(two("[0,4]", "[4,8.0]"), eight, "not whole");
}

TEST(SafetensorsHostile, ShapesThatNoMemoryHoldsAreRefusedBeforeAnythingIsAllocated) {
  const auto shaped = [](const std::string& shape) {
    return R"({"a":{"dtype":"F32","shape":)" + shape + R"(,"data_offsets":[0,4]}})";
  };
  EXPECT_TRUE(parse(shaped("[1]"), "0123").ok());
  expectInvalid(shaped("[9223372036854775808]"), "0123", "2⁶³");
  expectInvalid(shaped("[9223372036854775807]"), "0123", "memory");
  expectInvalid(shaped("[4294967296,4294967296]"), "0123", "memory");
  // 2⁶² · 4 bytes · 4 wraps to 0 in 64 bits.
  expectInvalid(shaped("[4611686018427387904,4]"), "0123", "memory");
  expectInvalid(shaped("[4611686018427387904,4611686018427387904,0]"), "0123", "memory");
  expectInvalid(shaped("[18446744073709551616]"), "0123", "too large");
  expectInvalid(shaped("[-1]"), "0123", "negative");
  expectInvalid(shaped("[1.5]"), "0123", "not whole");
  expectInvalid(shaped("[1e3]"), "0123", "not whole");
  expectInvalid(shaped("[\"1\"]"), "0123", "text");
  expectInvalid(shaped("[[1]]"), "0123", "a list");
  expectInvalid(shaped("[{}]"), "0123", "an object");
  expectInvalid(shaped("[2]"), "0123", "needs 8 bytes");
  expectInvalid(shaped("[0]"), "0123", "needs 0 bytes");
  std::string deep = "[1";
  for (int i = 0; i < 100; ++i)
    deep += ",1";
  expectInvalid(shaped(deep + "]"), "0123", "no real tensor");
}

TEST(SafetensorsHostile, DtypesAreKnownAndFitTheirBytes) {
  const auto typed = [](const std::string& dtype) {
    return R"({"a":{"dtype":)" + dtype + R"(,"shape":[1],"data_offsets":[0,4]}})";
  };
  expectRefused(parse(typed("\"F33\""), "0123"), ErrorCode::UnsupportedFile, "\"F33\"");
  expectRefused(parse(typed("\"F8_E4M3\""), "0123"), ErrorCode::UnsupportedFile, "convert");
  expectRefused(parse(typed("\"f32\""), "0123"), ErrorCode::UnsupportedFile, "\"f32\"");
  expectInvalid(typed("\"F64\""), "0123", "needs 8 bytes");
  expectInvalid(typed("\"BF16\""), "0123", "needs 2 bytes");
  expectInvalid(typed("32"), "0123", "a number");
  expectInvalid(typed("[\"F32\"]"), "0123", "a list");
  expectInvalid(typed("null"), "0123", "null");
}

TEST(SafetensorsHostile, BooleansAreZeroOrOne) {
  expectInvalid(R"({"a":{"dtype":"BOOL","shape":[2],"data_offsets":[0,2]}})", "\x01\x02",
                "neither 0 nor 1");
}

TEST(SafetensorsHostile, NothingIsNamedTwice) {
  const std::string entry = R"({"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
  expectInvalid(R"({"a":)" + entry + R"(,"a":)" + entry + "}", "", "\"a\" twice");
  expectInvalid(R"({"a":)" + entry + ",\"\\u0061\":" + entry + "}", "", "\"a\" twice");
  expectInvalid(R"({"__metadata__":{},"__metadata__":{}})", "", "twice");
  expectInvalid(R"({"__metadata__":{"k":"1","k":"2"}})", "", "twice");
  expectInvalid(R"({"a":{"dtype":"U8","dtype":"U8","shape":[0],"data_offsets":[0,0]}})", "",
                "twice");
}

TEST(SafetensorsHostile, EntriesAreComplete) {
  expectInvalid(R"({"a":{"shape":[0],"data_offsets":[0,0]}})", "", "no dtype");
  expectInvalid(R"({"a":{"dtype":"U8","data_offsets":[0,0]}})", "", "no dtype, shape");
  expectInvalid(R"({"a":{"dtype":"U8","shape":[0]}})", "", "data_offsets");
  expectInvalid(R"({"a":{}})", "", "no dtype");
  expectInvalid(R"({"a":7})", "", "a number");
  expectInvalid(R"({"a":[]})", "", "a list");
  expectInvalid(R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0],"x":1}})", "", "unknown");
}

TEST(SafetensorsHostile, MetadataIsTextOnly) {
  expectInvalid(R"({"__metadata__":{"k":1}})", "", "a number");
  expectInvalid(R"({"__metadata__":{"k":{"deep":"er"}}})", "", "an object");
  expectInvalid(R"({"__metadata__":"k"})", "", "text");
  expectInvalid(R"({"__metadata__":null})", "", "null");
}

TEST(SafetensorsHostile, NestingEndsWhereTheFormatEnds) {
  std::string lists = "{\"a\":";
  lists.append(1'000'000, '[');
  expectInvalid(lists, "", "a list");
  std::string objects;
  for (int i = 0; i < 100'000; ++i)
    objects += "{\"a\":";
  expectInvalid(objects, "", "unknown key");
}

TEST(SafetensorsHostile, NamesThatCouldSteerATerminalAreRefusedAndNotRepeated) {
  const auto result =
      parse("{\"\\u001b[2Jboo\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}}");
  expectRefused(result, ErrorCode::InvalidFile, "control characters");
  const auto dtype =
      parse("{\"a\":{\"dtype\":\"\\u001b[2J\",\"shape\":[0],\"data_offsets\":[0,0]}}");
  expectRefused(dtype, ErrorCode::UnsupportedFile, "\"?[2J\"");
  EXPECT_EQ(dtype.error().text().find('\x1b'), std::string::npos);
}

/// Many small things in a header of honest length: looking at them would take minutes.
TEST(SafetensorsHostile, MoreTensorsThanAnyModelHas) {
  const auto empties = [](int count, const std::string& begin) {
    std::string header = "{" + begin;
    for (int i = 0; i < count; ++i)
      header += (i == 0 ? "\"" : ",\"") + std::to_string(i) +
                R"(":{"dtype":"F32","shape":[0],"data_offsets":[0,0]})";
    return header + "}";
  };
  EXPECT_TRUE(parse(empties(65536, "")).ok());
  expectInvalid(empties(65537, ""), "", "more than 65536 tensors");
  std::string metadata = R"("__metadata__":{)";
  for (int i = 0; i < 65537; ++i)
    metadata += (i == 0 ? "\"" : ",\"") + std::to_string(i) + R"(":"")";
  expectInvalid(empties(0, metadata + "}"), "", "more than 65536 metadata entries");
}

TEST(SafetensorsHostile, MoreDimensionsThanAnyTensorHas) {
  const auto zeros = [](int count) {
    std::string shape = "0";
    for (int i = 1; i < count; ++i)
      shape += ",0";
    return R"({"a":{"dtype":"U8","shape":[)" + shape + R"(],"data_offsets":[0,0]}})";
  };
  EXPECT_TRUE(parse(zeros(64)).ok());
  expectInvalid(zeros(65), "", "more than 64 dimensions");
}

}  // namespace
}  // namespace headlight::testing
