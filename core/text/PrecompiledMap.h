// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// SentencePiece's compiled normalization (precompiled_charsmap): a double-array trie (Darts-clone,
// Yata 2011) from characters to what replaces them. Internal to core/text.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headlight {

class PrecompiledMap {
 public:
  /// `base64`: as tokenizer.json has it, at most 4 MB. Throws Failure(InvalidFile).
  PrecompiledMap(const std::string& base64, const std::string& where);

  /// A letter and the accents behind it are looked up together, where they are short, else each
  /// character alone (as Hugging Face's tokenizers do).
  std::string normalized(const std::string& text) const;

 private:
  std::optional<std::string_view> find(std::string_view text) const;
  void append(std::string& result, std::string_view cluster) const;

  std::vector<std::uint32_t> m_units;
  std::string m_texts;  ///< each ends in a zero byte
};

}  // namespace headlight
