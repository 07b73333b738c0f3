// SPDX-License-Identifier: GPL-3.0-or-later

// Tokenizers and what a config says of a text tower: anybody may have written them.

#include <memory>

#include "core/config/ConfigText.h"
#include "core/text/Tokenizer.h"
#include "core/workbench/prompts/Prompts.h"
#include "core/workbench/prompts/TextConfig.h"
#include "tests/fuzz/Bounds.h"
#include "tests/fuzz/readers/Target.h"

namespace headlight::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBytePairs = R"json({"added_tokens": [{"id": 9, "content": "<|end|>"}],
  "normalizer": {"type": "Sequence", "normalizers": [{"type": "NFC"},
    {"type": "Replace", "pattern": {"Regex": "\\s+"}, "content": " "}, {"type": "Lowercase"}]},
  "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "Split", "behavior": "Removed",
    "invert": true, "pattern": {"Regex":
    "'s|'t|'re|'ve|'m|'ll|'d|[\\p{L}]+|[\\p{N}]|[^\\s\\p{L}\\p{N}]+"}},
    {"type": "ByteLevel", "add_prefix_space": false}]},
  "post_processor": {"type": "RobertaProcessing", "sep": ["<|end|>", 9], "cls": ["c", 0]},
  "model": {"type": "BPE", "unk_token": "<|end|>", "end_of_word_suffix": "</w>",
    "vocab": {"c": 0, "a": 1, "t</w>": 2, "ca": 3, "cat</w>": 4, "d": 5, "o": 6, "g</w>": 7,
      "do": 8, "<|end|>": 9}, "merges": ["c a", ["ca", "t</w>"], "d o"]}})json";
constexpr const char* kUnigrams = R"json({"added_tokens": [{"id": 1, "content": "</s>"}],
  "normalizer": {"type": "Sequence", "normalizers": [{"type": "Lowercase"},
    {"type": "Replace", "pattern": {"Regex": "[!\"\\#,\\-x-z]"}, "content": ""},
    {"type": "Strip", "strip_left": true}, {"type": "Prepend", "prepend": " "},
    {"type": "Precompiled", "precompiled_charsmap": "CAAAAAAEAAAAAAAAAA=="},
    {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "},
    {"type": "Replace", "pattern": {"String": "b"}, "content": "d"}]},
  "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"},
    {"type": "Metaspace", "replacement": "_", "prepend_scheme": "always", "split": true}]},
  "post_processor": {"type": "TemplateProcessing", "single": [{"Sequence": {"id": "A"}},
    {"SpecialToken": {"id": "</s>"}}], "special_tokens": {"</s>": {"ids": [1]}}},
  "model": {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0], ["</s>", 0], ["_cat", -2.5],
    ["_", -3], ["d", -4.25], ["og", -5], ["_do", -6], ["g", -7]]}})json";
constexpr const char* kTextConfig = R"({"model_type": "clip", "text_config": {"hidden_act": "gelu",
  "num_hidden_layers": 2, "num_attention_heads": 3, "layer_norm_eps": 1e-6, "eos_token_id": 2,
  "pad_token_id": 1}})";

/// What is read encodes texts, whatever its tables say.
Result<void> readTokens(const fs::path& folder, const std::string& file, const std::string& text) {
  writeBytes(folder / file, text);
  return readThen(readTokenizer(folder), [](const Tokenizer& tokenizer) {
    for (const char* prompt : {"a photo of a cat", "cat, dogs!", "\xC3\xA9 \xE2\x80\x94 1x", ""})
      if (const auto ids = tokenizer.encode(prompt))
        for (const std::int64_t id : *ids)
          require(id >= 0 && id <= 10'000'000, "a token out of range");
  });
}

Result<void> readTower(const fs::path& folder, const std::string& text) {
  writeBytes(folder / "config.json", text);
  return readThen(guarded("", [&] { return readTextConfig(folder); }), [](const TextConfig& read) {
    require(read.tower.layers >= 1 && read.tower.layers <= 256, "layers");
    require(read.tower.heads >= 1, "heads");
  });
}

fs::path tokenizerFolder(const fs::path& folder) {
  fs::create_directories(folder);
  return folder;
}

}  // namespace

std::vector<Target> promptTargets(const fs::path& folder) {
  const fs::path whole = tokenizerFolder(folder / "tokenizer"),
                 first = tokenizerFolder(folder / "first");
  const std::string vocabulary =
      R"({"<|startoftext|>": 0, "<|endoftext|>": 1, "c": 2, "a": 3, "ca": 4, "t</w>": 5})";
  writeBytes(first / "merges.txt", "#version: 0.2\nc a\n");
  writeBytes(first / "vocab.json", vocabulary);
  return {{"tokenizer.json",
           Kind::Json,
           {kBytePairs, kUnigrams},
           [=](const std::string& text) { return readTokens(whole, "tokenizer.json", text); }},
          {"CLIP's merges.txt",
           Kind::Text,
           {"#version: 0.2\nc a\n"},
           [=](const std::string& text) { return readTokens(first, "merges.txt", text); }},
          {"config.json of a text tower",
           Kind::Json,
           {kTextConfig},
           [=](const std::string& text) { return readTower(whole, text); }},
          {"prompts",
           Kind::Json,
           {R"({"lines": ["cat", "dog"], "template": "a {}"})"},
           [](const std::string& text) {
             const auto json = parseConfigJson(text, "prompts");
             if (!json) return Result<void>(json.error());
             const auto read = guarded("", [&] { return promptsFromJson(*json, "prompts"); });
             return readThen(read, [](const Prompts& prompts) { (void)promptTexts(prompts); });
           }}};
}

}  // namespace headlight::fuzz
