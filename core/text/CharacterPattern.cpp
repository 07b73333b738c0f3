// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/CharacterPattern.h"

#include <algorithm>
#include <string_view>

#include "core/base/Utf8.h"
#include "core/text/Characters.h"
#include "core/text/UnicodeTables.h"

namespace headlight {
namespace {

constexpr std::size_t kAnyCount = SIZE_MAX;
constexpr std::size_t kMostCount = 1000;  // of a quantifier's number

bool isSpecial(char32_t character) {
  return character < 0x80 && std::string_view("()|*+?{}^$.[]").find(static_cast<char>(character)) !=
                                 std::string_view::npos;
}

bool isWord(char32_t character) {
  return character < 0x80 && (isLetter(character) || isNumber(character));
}

}  // namespace

class CharacterPattern::Parser {
 public:
  Parser(CharacterPattern& pattern, const std::string& expression, const std::string& where)
      : m_pattern(pattern),
        m_expression(expression),
        m_where(where),
        m_text(codePoints(expression)) {}

  void parse() {
    if (m_at < m_text.size() && m_text[m_at] == U'[')
      parseClass();
    else
      parseItem(false);
    parseCount();
    if (m_at != m_text.size()) refuse();
  }

 private:
  [[noreturn]] void refuse() const {
    refuseTokenizer("the regular expression \"" + m_expression + "\"", m_where);
  }

  char32_t next() {
    if (m_at == m_text.size()) refuse();
    return m_text[m_at++];
  }

  bool take(char32_t character) {
    const bool found = m_at < m_text.size() && m_text[m_at] == character;
    if (found) ++m_at;
    return found;
  }

  /// A literal; false for \s, which is noted.
  bool takeLiteral(bool inClass, char32_t& literal) {
    literal = next();
    if (literal != U'\\') {
      if (inClass ? literal == U'[' || literal == U'&' : isSpecial(literal)) refuse();
      return true;
    }
    literal = next();
    if (literal == U's') return m_pattern.m_space = true, false;
    if (literal == U't' || literal == U'n' || literal == U'r')
      literal = literal == U't' ? U'\t' : literal == U'n' ? U'\n' : U'\r';
    else if (isWord(literal))
      refuse();  // \d, \p{…} and their kin
    return true;
  }

  void parseItem(bool inClass) {
    char32_t first = 0, last = 0;
    if (!takeLiteral(inClass, first)) return;
    last = first;
    const bool range =
        inClass && m_at + 1 < m_text.size() && m_text[m_at] == U'-' && m_text[m_at + 1] != U']';
    if (range && (++m_at, !takeLiteral(true, last))) refuse();
    if (last < first) refuse();
    m_pattern.m_ranges.emplace_back(first, last);
  }

  void parseClass() {
    ++m_at;
    m_pattern.m_inverted = take(U'^');
    while (!take(U']'))
      parseItem(true);
  }

  std::size_t number() {
    if (m_at == m_text.size() || m_text[m_at] < U'0' || m_text[m_at] > U'9') refuse();
    std::size_t value = 0;
    while (m_at < m_text.size() && m_text[m_at] >= U'0' && m_text[m_at] <= U'9')
      if ((value = 10 * value + (m_text[m_at++] - U'0')) > kMostCount) refuse();
    return value;
  }

  void parseCount() {
    if (take(U'+')) {
      m_pattern.m_most = kAnyCount;
    } else if (take(U'{')) {
      m_pattern.m_least = m_pattern.m_most = number();
      if (take(U',')) m_pattern.m_most = take(U'}') ? (--m_at, kAnyCount) : number();
      if (!take(U'}') || m_pattern.m_least < 1 || m_pattern.m_most < m_pattern.m_least) refuse();
    }
  }

  CharacterPattern& m_pattern;
  const std::string &m_expression, &m_where;
  std::vector<char32_t> m_text;
  std::size_t m_at = 0;
};

CharacterPattern::CharacterPattern(const std::string& expression, const std::string& where) {
  Parser(*this, expression, where).parse();
}

bool CharacterPattern::matches(char32_t character) const {
  const bool found = (m_space && isWhiteSpace(character)) ||
                     std::any_of(m_ranges.begin(), m_ranges.end(), [&](const auto& range) {
                       return range.first <= character && character <= range.second;
                     });
  return found != m_inverted;
}

std::size_t CharacterPattern::runAt(const std::vector<char32_t>& text, std::size_t from) const {
  std::size_t count = 0;
  while (count < m_most && from + count < text.size() && matches(text[from + count]))
    ++count;
  return count >= m_least ? count : 0;
}

std::string CharacterPattern::replaced(const std::string& text, const std::string& by) const {
  const std::vector<char32_t> characters = codePoints(text);
  std::string result;
  for (std::size_t i = 0; i < characters.size();) {
    const std::size_t run = runAt(characters, i);
    if (run > 0)
      result += by;
    else
      appendUtf8(result, characters[i]);
    i += std::max<std::size_t>(run, 1);
  }
  return result;
}

}  // namespace headlight
