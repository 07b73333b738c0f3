// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/PreTokenizer.h"

#include <array>

#include "core/base/Translation.h"
#include "core/base/Utf8.h"
#include "core/text/Characters.h"
#include "core/text/UnicodeTables.h"

namespace headlight {
namespace {

using Pieces = std::vector<std::string>;

/// CLIP's words (Radford et al. 2021, simple_tokenizer.py), as Hugging Face's files have them.
constexpr const char* kClipWords = R"('s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+)";

/// Newer files begin with the special tokens, which are in no text that is split.
constexpr std::string_view kClipSpecial = R"(<\|startoftext\|>|<\|endoftext\|>|)";

bool isClipSplit(std::string_view expression) {
  if (expression.starts_with(kClipSpecial)) expression.remove_prefix(kClipSpecial.size());
  return expression == kClipWords;
}

enum class Kind { Letter, Number, Space, Other };

Kind kindOf(char32_t character) {
  if (isLetter(character)) return Kind::Letter;
  if (isNumber(character)) return Kind::Number;
  return isWhiteSpace(character) ? Kind::Space : Kind::Other;
}

/// Of a contraction at the start of `text`, such as "'ll"; 0 where there is none.
std::size_t contractionLength(std::string_view text) {
  for (const std::string_view ending : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"})
    if (text.starts_with(ending)) return ending.size();
  return 0;
}

/// Of the word at the start of `text`: letters, one number, or what is neither; 0 for a space.
std::size_t wordLength(std::string_view text) {
  if (const std::size_t contraction = contractionLength(text)) return contraction;
  std::size_t length = 0;
  std::optional<Kind> first;
  for (const std::string_view character : splitCharacters(text)) {
    const Kind kind = kindOf(codePoints(character).front());
    if (kind == Kind::Space || (first && (kind != *first || kind == Kind::Number))) break;
    first = kind;
    length += character.size();
  }
  return length;
}

void splitClipWords(const std::string& text, Pieces& pieces) {
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t length = wordLength(rest);
    if (length > 0) pieces.emplace_back(rest.substr(0, length));
    rest.remove_prefix(length > 0 ? length : splitCharacters(rest.substr(0, 4)).front().size());
  }
}

/// Every byte as a character that can be seen (GPT-2, Radford et al. 2019): printable ones of
/// Latin-1 as they are, the others from U+0100 on.
std::array<std::string, 256> visibleBytes() {
  std::array<std::string, 256> letters;
  char32_t next = 0x100;
  for (char32_t byte = 0; byte < 256; ++byte) {
    const bool printable = (byte >= 33 && byte <= 126) || (byte >= 161 && byte != 173);
    appendUtf8(letters[byte], printable ? byte : next++);
  }
  return letters;
}

void showBytes(const std::string& piece, Pieces& pieces) {
  static const auto letters = visibleBytes();
  std::string shown;
  for (const char letter : piece)
    shown += letters[static_cast<unsigned char>(letter)];
  pieces.push_back(std::move(shown));
}

void splitAtSpaces(const std::string& text, Pieces& pieces) {
  bool within = false;
  for (const std::string_view character : splitCharacters(text)) {
    const bool space = isWhiteSpace(codePoints(character).front());
    if (!space && !within) pieces.emplace_back();
    if (!space) pieces.back() += character;
    within = !space;
  }
}

struct Metaspace {
  std::string mark;
  bool prepends = true, splits = true;

  void operator()(const std::string& piece, Pieces& pieces) const {
    std::string text;
    for (const char letter : piece)
      letter == ' ' ? text += mark : text += letter;
    if (prepends && !text.starts_with(mark)) text = mark + text;
    // Every mark begins a piece.
    for (std::size_t start = 0; splits && start < text.size();) {
      const std::size_t next = text.find(mark, start + (start == 0 ? 0 : mark.size()));
      const std::size_t end = next == 0 ? text.find(mark, mark.size()) : next;
      pieces.push_back(text.substr(start, end - start));
      start = end == std::string::npos ? text.size() : end;
    }
    if (!splits) pieces.push_back(std::move(text));
  }
};

}  // namespace

PreTokenizer::PreTokenizer(const Json& json, const std::string& where) {
  if (!json.is_null()) add(json, where);
}

void PreTokenizer::add(const Json& json, const std::string& where) {
  const std::string type = tokenizerText(json, "type", where);
  if (type == "Sequence") {
    for (const Json& part : tokenizerValue(json, "pretokenizers"))
      add(part, where);
  } else if (type == "Split") {
    addSplit(json, where);
  } else if (type == "ByteLevel") {
    addBytes(json, where);
  } else if (type == "Metaspace") {
    addMetaspace(json, where);
  } else if (type == "WhitespaceSplit") {
    m_steps.push_back(splitAtSpaces);
  } else {
    refuseTokenizer("the pre-tokenizer " + (type.empty() ? "?" : type), where);
  }
}

void PreTokenizer::addSplit(const Json& json, const std::string& where) {
  const std::string words = tokenizerText(tokenizerValue(json, "pattern"), "Regex", where),
                    behavior = tokenizerText(json, "behavior", where);
  if (!isClipSplit(words) || behavior != "Removed" || !tokenizerFlag(json, "invert", false, where))
    refuseTokenizer("the pre-tokenizer Split at \"" + words + "\"", where);
  m_steps.push_back(splitClipWords);
  m_clipWords = true;
}

/// GPT-2's own split, which is done where `use_regex` is not off, leaves CLIP's words whole.
void PreTokenizer::addBytes(const Json& json, const std::string& where) {
  if (tokenizerFlag(json, "use_regex", true, where) && !m_clipWords)
    refuseTokenizer("the pre-tokenizer ByteLevel with use_regex", where);
  if (tokenizerFlag(json, "add_prefix_space", true, where))
    refuseTokenizer("the pre-tokenizer ByteLevel with add_prefix_space", where);
  m_steps.push_back(showBytes);
}

void PreTokenizer::addMetaspace(const Json& json, const std::string& where) {
  const std::string scheme = tokenizerText(json, "prepend_scheme", where);
  const bool adds = tokenizerFlag(json, "add_prefix_space", true, where);
  if (scheme == "first") refuseTokenizer("Metaspace with prepend_scheme first", where);
  Metaspace step;
  step.mark = tokenizerText(json, "replacement", where);
  step.prepends = scheme.empty() ? adds : scheme == "always";
  step.splits = tokenizerFlag(json, "split", true, where);
  if (splitCharacters(step.mark).size() != 1)
    failTokenizer(tr("Metaspace's replacement must be one character"), where);
  m_steps.push_back(step);
}

std::vector<std::string> PreTokenizer::split(const std::string& text) const {
  Pieces pieces;
  if (!text.empty()) pieces.push_back(text);
  for (const Step& step : m_steps) {
    Pieces next;
    for (const std::string& piece : pieces)
      step(piece, next);
    pieces = std::move(next);
  }
  return pieces;
}

}  // namespace headlight
