// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Text as numbers of tokens, as the text towers of CLIP and SigLIP read it: the files that Hugging
// Face's tokenizers write. No torch type here.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/Result.h"
#include "core/config/Parameter.h"

namespace headlight {

/// Bytes of a text that is encoded.
inline constexpr std::size_t kLongestPrompt = 1024;

/// Normalizer, split into words, byte pairs or unigrams, special tokens at both ends.
class Tokenizer {
 public:
  /// `json`: a tokenizer.json. Throws Failure: UnsupportedFile that names the part which is not
  /// supported; InvalidFile for values that make no tokenizer.
  Tokenizer(const Json& json, const std::string& where);
  ~Tokenizer();

  /// With the special tokens that the file puts around a text; neither cut nor padded. Errors:
  /// InvalidArgument for a text that is no UTF-8, is longer than kLongestPrompt, has a special
  /// token in it or a character that cannot be encoded.
  Result<std::vector<std::int64_t>> encode(const std::string& text) const;

  /// The number of a token as the file writes it, special ones among them.
  std::optional<std::int64_t> find(const std::string& token) const;
  const char* kind() const;  ///< "BPE" or "Unigram"

 private:
  struct Parts;
  std::shared_ptr<const Parts> m_parts;
};

/// tokenizer.json, else vocab.json with merges.txt, which CLIP's first files are; empty where a
/// folder has neither.
std::string tokenizerFiles(const std::filesystem::path& folder);

/// Reads at most 64 MB of each. Errors: NotFound, naming the files that are missing; those of the
/// constructor; InvalidConfig for what is no JSON.
Result<Tokenizer> readTokenizer(const std::filesystem::path& folder);

}  // namespace headlight
