// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The regular expressions that normalizers of tokenizers have: one character or class, perhaps
// several times. Internal to core/text.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace headlight {

/// "x", "\\s+", " {2,}", "[!\"\\#-]": a literal, \s, or a class of literals, ranges and \s, with
/// "+", "{n}", "{n,}", "{n,m}" or alone.
class CharacterPattern {
 public:
  /// Throws Failure(UnsupportedFile) that names the expression, for any other.
  CharacterPattern(const std::string& expression, const std::string& where);

  /// Every match, from the left, replaced.
  std::string replaced(const std::string& text, const std::string& by) const;

 private:
  class Parser;
  bool matches(char32_t character) const;
  std::size_t runAt(const std::vector<char32_t>& text, std::size_t from) const;

  std::vector<std::pair<char32_t, char32_t>> m_ranges;
  bool m_space = false, m_inverted = false;
  std::size_t m_least = 1, m_most = 1;
};

}  // namespace headlight
