// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/Tokenizer.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>

#include "core/base/files/Files.h"
#include "core/config/ConfigText.h"
#include "tests/TemporaryFolder.h"

namespace headlight {
namespace {

using Ids = std::vector<std::int64_t>;

std::filesystem::path golden(const std::string& name) {
  return std::filesystem::path(HEADLIGHT_GOLDEN_DIR) / "text" / name;
}

Json jsonIn(const std::filesystem::path& file) {
  return valueOrThrow(parseConfigJson(valueOrThrow(readFile(file, 1 << 20)), file.string()));
}

Json tokenizerIn(const std::string& name) {
  return jsonIn(golden(name) / "tokenizer.json");
}

/// The error of a tokenizer.json.
std::string refusal(const Json& json) {
  const auto made = guarded("", [&] { return Tokenizer(json, "tokenizer.json"); });
  return made ? "" : made.error().text();
}

std::string encodingError(const Tokenizer& tokenizer, const std::string& text) {
  const auto ids = tokenizer.encode(text);
  return ids ? "" : ids.error().text();
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// ---- Numbers of Hugging Face's tokenizers -------------------------------------------------------

void compareWithCases(const Tokenizer& tokenizer, const std::string& name) {
  const Json cases = jsonIn(golden(name) / "cases.json");
  ASSERT_GE(cases.size(), 5u);
  for (const Json& one : cases) {
    const auto ids = tokenizer.encode(one[0].get<std::string>());
    ASSERT_TRUE(ids) << one[0] << ids.error().text();
    EXPECT_EQ(*ids, one[1].get<Ids>()) << one[0];
  }
}

class TokenizerCases : public testing::TestWithParam<const char*> {};

TEST_P(TokenizerCases, GivesTheNumbersOfHuggingFacesTokenizers) {
  compareWithCases(valueOrThrow(readTokenizer(golden(GetParam()))), GetParam());
}
INSTANTIATE_TEST_SUITE_P(Text, TokenizerCases,
                         testing::Values("clip_micro", "clip_bytes", "siglip_micro"));

TEST(Tokenizer, ReadsClipsFirstFiles) {
  const TemporaryFolder folder;
  for (const char* file : {"vocab.json", "merges.txt"})
    std::filesystem::copy_file(golden("clip_micro") / file, folder.path() / file);
  EXPECT_EQ(tokenizerFiles(folder.path()), "vocab.json, merges.txt");
  compareWithCases(valueOrThrow(readTokenizer(folder.path())), "clip_micro");
}

TEST(Tokenizer, ReadsMergesAsPairs) {
  Json json = tokenizerIn("clip_bytes");
  for (Json& merge : json["model"]["merges"])
    if (merge.is_array())
      merge = merge[0].get<std::string>() + " " + merge[1].get<std::string>();
    else
      merge =
          Json::array({merge.get<std::string>().substr(0, merge.get<std::string>().find(' ')),
                       merge.get<std::string>().substr(merge.get<std::string>().find(' ') + 1)});
  compareWithCases(Tokenizer(json, ""), "clip_bytes");
}

/// As newer files write it.
TEST(Tokenizer, ReadsClipsSplitWithTheSpecialTokensInIt) {
  Json json = tokenizerIn("clip_bytes");
  Json& pattern = json["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"];
  pattern = R"(<\|startoftext\|>|<\|endoftext\|>|)" + pattern.get<std::string>();
  compareWithCases(Tokenizer(json, ""), "clip_bytes");
}

TEST(Tokenizer, FindsSpecialTokens) {
  const Tokenizer clip = valueOrThrow(readTokenizer(golden("clip_micro")));
  EXPECT_EQ(clip.find("<|endoftext|>"), 59);
  EXPECT_EQ(clip.find("cat</w>"), 3);
  EXPECT_FALSE(clip.find("giraffe"));
  EXPECT_STREQ(clip.kind(), "BPE");
  EXPECT_STREQ(Tokenizer(tokenizerIn("siglip_micro"), "").kind(), "Unigram");
}

// ---- Texts that are refused ---------------------------------------------------------------------

TEST(Tokenizer, RefusesTextsThatItWouldReadOtherwise) {
  const Tokenizer clip = valueOrThrow(readTokenizer(golden("clip_bytes")));
  EXPECT_TRUE(contains(encodingError(clip, "a <|endoftext|> b"), "special token <|endoftext|>"));
  EXPECT_TRUE(contains(encodingError(clip, "a <|ENDoftext|> b"), "special token <|endoftext|>"));
  EXPECT_TRUE(contains(encodingError(clip, "cafe\xCC\x81"), "U+0301"));
  EXPECT_TRUE(contains(encodingError(clip, "caf\xE9"), "not UTF-8"));
  EXPECT_TRUE(contains(encodingError(clip, std::string(1025, 'a')), "1024 bytes"));
  EXPECT_EQ(encodingError(clip, std::string(1024, 'a')), "");
}

TEST(Tokenizer, NamesACharacterThatTheVocabularyLacks) {
  Json json = tokenizerIn("siglip_micro");
  json["model"]["unk_id"] = nullptr;
  EXPECT_TRUE(contains(encodingError(Tokenizer(json, ""), "a q"), "\"q\" is not in"));
  json = tokenizerIn("clip_micro");
  json["model"]["unk_token"] = nullptr;
  EXPECT_TRUE(contains(encodingError(Tokenizer(json, ""), "k cat"), "\"k\" is not in"));
}

// ---- Files that are refused ---------------------------------------------------------------------

TEST(Tokenizer, NamesWhatItDoesNotSupport) {
  const auto with = [](const char* part, const Json& value) {
    Json json = tokenizerIn("clip_micro");
    json[part] = value;
    return refusal(json);
  };
  const auto inModel = [](const char* key, const Json& value) {
    Json json = tokenizerIn("clip_micro");
    json["model"][key] = value;
    return refusal(json);
  };
  EXPECT_TRUE(contains(with("normalizer", {{"type", "BertNormalizer"}}), "BertNormalizer"));
  EXPECT_TRUE(
      contains(with("normalizer",
                    {{"type", "Replace"}, {"pattern", {{"Regex", "(a|b)*"}}}, {"content", ""}}),
               "\"(a|b)*\""));
  EXPECT_TRUE(contains(with("pre_tokenizer", {{"type", "ByteLevel"}}), "ByteLevel"));
  EXPECT_TRUE(contains(with("pre_tokenizer", {{"type", "Digits"}}), "Digits"));
  EXPECT_TRUE(contains(with("post_processor", {{"type", "Other"}}), "Other"));
  EXPECT_TRUE(contains(inModel("type", "WordPiece"), "WordPiece"));
  EXPECT_TRUE(contains(inModel("byte_fallback", true), "byte_fallback"));
  EXPECT_TRUE(contains(inModel("continuing_subword_prefix", "##"), "continuing_subword_prefix"));
}

TEST(Tokenizer, RefusesDamagedFiles) {
  const auto inModel = [](const char* name, const char* key, const Json& value) {
    Json json = tokenizerIn(name);
    json["model"][key] = value;
    return refusal(json);
  };
  EXPECT_TRUE(contains(inModel("clip_micro", "merges", Json::array({"q q"})), "\"q\""));
  EXPECT_TRUE(contains(inModel("clip_micro", "merges", Json::array({"a"})), "two tokens"));
  EXPECT_TRUE(contains(inModel("clip_micro", "merges", Json::array({"c c"})), "\"cc\""));
  EXPECT_TRUE(contains(inModel("clip_micro", "vocab", {{"a", -1}}), "whole number"));
  EXPECT_TRUE(contains(inModel("clip_micro", "vocab", Json::object()), "vocabulary"));
  EXPECT_TRUE(contains(inModel("clip_micro", "unk_token", "none"), "\"none\""));
  EXPECT_TRUE(contains(inModel("siglip_micro", "unk_id", 60), "unk_id"));
  EXPECT_TRUE(contains(inModel("siglip_micro", "vocab", Json::array({1})), "a piece"));
  EXPECT_TRUE(contains(refusal(Json::array()), "JSON object"));
  Json map = tokenizerIn("siglip_micro");
  for (const char* damaged : {"", "AAAA", "////////", "BAAAAAAA", "no base64!"}) {
    map["normalizer"] = {{"type", "Precompiled"}, {"precompiled_charsmap", damaged}};
    const auto made =
        guarded("", [&] { return Tokenizer(map, "").encode("a \xEF\xBC\xA1 b").ok(); });
    EXPECT_TRUE(made || contains(made.error().text(), "precompiled_charsmap")) << damaged;
  }
}

TEST(Tokenizer, SaysWhichFilesAreMissing) {
  const TemporaryFolder folder;
  const auto none = readTokenizer(folder.path());
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::NotFound);
  EXPECT_TRUE(contains(none.error().message, "tokenizer.json, or vocab.json with merges.txt"));
  std::ofstream(folder.path() / "tokenizer.json") << "{\"model\": ";
  EXPECT_TRUE(contains(readTokenizer(folder.path()).error().text(), "not valid JSON"));
}

/// A million merges, and a word that they all could apply to.
TEST(Tokenizer, StaysFastWithManyMerges) {
  Json json = tokenizerIn("clip_bytes");
  Json& vocabulary = json["model"]["vocab"];
  Json merges = Json::array();
  std::string run = "a";
  for (int i = 0; i < 9; ++i) {
    merges.push_back(run + " " + run);
    run += run;
    vocabulary[run] = 1000 + i;
  }
  for (int i = 0; i < 400'000; ++i)
    merges.push_back("a a");
  json["model"]["merges"] = merges;
  const auto start = std::chrono::steady_clock::now();
  const Tokenizer tokenizer(json, "");
  EXPECT_TRUE(tokenizer.encode(std::string(1024, 'a')));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  merges.get_ref<Json::array_t&>().resize(1'000'001, "a a");
  json["model"]["merges"] = merges;
  EXPECT_TRUE(contains(refusal(json), "at most 1000000"));
}

}  // namespace
}  // namespace headlight
