// SPDX-License-Identifier: GPL-3.0-or-later

// Tokenizer.h: the files.

#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/config/ConfigText.h"
#include "core/text/Characters.h"
#include "core/text/SubwordModel.h"
#include "core/text/Tokenizer.h"

namespace headlight {
namespace {

constexpr std::size_t kMostTokenizerText = 64u << 20;
constexpr const char *kWhole = "tokenizer.json", *kVocabulary = "vocab.json",
                     *kMerges = "merges.txt";

Json readTokenizerJson(const std::filesystem::path& file) {
  const std::string text = valueOrThrow(readFile(file, kMostTokenizerText));
  return valueOrThrow(parseConfigJson(text, file.string(), kMostTokenizerText, kMostTokens));
}

/// A merge a line, behind a line with the version.
Json readMergeLines(const std::filesystem::path& file) {
  const std::string text = valueOrThrow(readFile(file, kMostTokenizerText));
  Json merges = Json::array();
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    std::string line = text.substr(start, end - start);
    while (line.ends_with('\r') || line.ends_with(' '))
      line.pop_back();
    if (!line.empty() && !line.starts_with("#version")) merges.push_back(std::move(line));
    if (merges.size() > kMostTokens)
      failTokenizer(tr("has more than 1000000 merges"), file.string());
    start = end + 1;
  }
  return merges;
}

/// What a CLIP's tokenizer.json says besides (transformers' CLIPTokenizer).
constexpr const char* kClipParts = R"json({
  "normalizer": {"type": "Sequence", "normalizers": [
    {"type": "NFC"},
    {"type": "Replace", "pattern": {"Regex": "\\s+"}, "content": " "},
    {"type": "Lowercase"}]},
  "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
    {"type": "Split", "behavior": "Removed", "invert": true, "pattern": {"Regex":
      "'s|'t|'re|'ve|'m|'ll|'d|[\\p{L}]+|[\\p{N}]|[^\\s\\p{L}\\p{N}]+"}},
    {"type": "ByteLevel", "add_prefix_space": false}]}})json";

constexpr const char *kClipStart = "<|startoftext|>", *kClipEnd = "<|endoftext|>";

Json specialToken(const Json& vocabulary, const char* token, const std::string& where) {
  const Json& number = tokenizerValue(vocabulary, token);
  if (number.is_null()) failTokenizer(std::string(tr("lacks the token ")) + token, where);
  return number;
}

Json clipTokenizer(const std::filesystem::path& folder) {
  const std::string where = (folder / kVocabulary).string();
  Json json = valueOrThrow(parseConfigJson(kClipParts, where));
  Json vocabulary = readTokenizerJson(folder / kVocabulary);
  const Json start = specialToken(vocabulary, kClipStart, where),
             end = specialToken(vocabulary, kClipEnd, where);
  json["added_tokens"] = {{{"id", start}, {"content", kClipStart}},
                          {{"id", end}, {"content", kClipEnd}}};
  json["post_processor"] = {{"type", "RobertaProcessing"},
                            {"cls", Json::array({kClipStart, start})},
                            {"sep", Json::array({kClipEnd, end})}};
  json["model"] = {{"type", "BPE"}, {"unk_token", kClipEnd}, {"end_of_word_suffix", "</w>"}};
  json["model"]["vocab"] = std::move(vocabulary);
  json["model"]["merges"] = readMergeLines(folder / kMerges);
  return json;
}

}  // namespace

std::string tokenizerFiles(const std::filesystem::path& folder) {
  if (isThere(folder / kWhole)) return kWhole;
  if (isThere(folder / kVocabulary) && isThere(folder / kMerges))
    return std::string(kVocabulary) + ", " + kMerges;
  return {};
}

Result<Tokenizer> readTokenizer(const std::filesystem::path& folder) {
  return guarded(folder.string(), [&]() -> Result<Tokenizer> {
    if (isThere(folder / kWhole))
      return Tokenizer(readTokenizerJson(folder / kWhole), (folder / kWhole).string());
    if (!tokenizerFiles(folder).empty())
      return Tokenizer(clipTokenizer(folder), (folder / kVocabulary).string());
    return Error{ErrorCode::NotFound,
                 tr("has no tokenizer: tokenizer.json, or vocab.json with merges.txt, is missing; "
                    "download it from the model's page on the Hugging Face hub"),
                 folder.string()};
  });
}

}  // namespace headlight
