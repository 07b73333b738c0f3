// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/layers/Types.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "tests/layers/Includes.h"

namespace headlight::testing {
namespace {

using Words = std::vector<std::string>;

/// Without comments, texts and what is for the preprocessor.
std::string codeOf(const std::string& source) {
  static const std::regex rest(
      R"re(//[^\n]*|/\*[\s\S]*?\*/|"(\\.|[^"\\\n])*"|'(\\.|[^'\\\n])'|(^|\n)[ \t]*#(\\\n|[^\n])*)re");
  return std::regex_replace(source, rest, "\n");
}

Words wordsOf(const std::string& code) {
  static const std::regex word(R"(\w+|::|[^\s\w])");
  Words words;
  for (auto at = std::sregex_iterator(code.begin(), code.end(), word); at != std::sregex_iterator();
       ++at)
    words.push_back(at->str());
  return words;
}

/// Where the bracket that opens at `at` is closed, and one further.
std::size_t behindBracket(const Words& words, std::size_t at, const char* open, const char* close) {
  int depth = 0;
  for (; at < words.size(); ++at) {
    depth += words[at] == open ? 1 : words[at] == close ? -1 : 0;
    if (depth == 0) return at + 1;
  }
  return at;
}

bool isName(const std::string& word) {
  return std::isalpha(static_cast<unsigned char>(word[0])) || word[0] == '_';
}

/// What is defined by the words before a brace; nothing where they are no type's head.
std::optional<std::string> typeBefore(const Words& head) {
  static const std::set<std::string> kinds{"class", "struct", "union", "enum"};
  std::size_t at = 0;
  while (at + 1 < head.size() && head[at] == "template")
    at = behindBracket(head, at + 1, "<", ">");
  if (at >= head.size() || !kinds.contains(head[at])) return std::nullopt;
  while (at < head.size() && kinds.contains(head[at]))
    ++at;
  while (at < head.size() && (head[at] == "[" || head[at] == "alignas"))
    at =
        head[at] == "[" ? behindBracket(head, at, "[", "]") : behindBracket(head, at + 1, "(", ")");
  if (at >= head.size() || !isName(head[at])) return std::nullopt;
  const std::string next = at + 1 < head.size() ? head[at + 1] : "{";
  if (next != "{" && next != ":" && next != "final") return std::nullopt;
  return head[at];
}

/// "headlight::cli::" of the words before a brace; nothing where they begin no namespace.
std::optional<std::string> namespaceBefore(const Words& head) {
  if (head.empty() || (head[0] != "namespace" && head[0] != "extern")) return std::nullopt;
  std::string name;
  for (std::size_t i = 1; i < head.size(); ++i)
    name += head[i];
  return name.empty() ? name : name + "::";
}

std::string textOf(const std::filesystem::path& path) {
  std::ifstream stream(path);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

}  // namespace

std::vector<std::string> typesIn(const std::string& source) {
  std::vector<std::string> types;
  std::vector<std::optional<std::string>> scopes;  // nothing: no namespace
  Words head;
  for (const std::string& word : wordsOf(codeOf(source))) {
    const bool outside = std::all_of(scopes.begin(), scopes.end(),
                                     [](const auto& scope) { return scope.has_value(); });
    if (word == "{") {
      std::string within;
      if (const auto type = typeBefore(head); type && outside) {
        for (const auto& scope : scopes)
          within += *scope;
        types.push_back(within + *type);
      }
      scopes.push_back(namespaceBefore(head));
    } else if (word == "}" && !scopes.empty()) {
      scopes.pop_back();
    } else if (word != ";") {
      head.push_back(word);
      continue;
    }
    head.clear();
  }
  return types;
}

std::map<std::string, std::vector<std::string>> typesOfHeaders(const std::filesystem::path& root) {
  std::map<std::string, std::vector<std::string>> headers;
  for (const auto& [file, includes] : sourceTree(root))
    if (file.ends_with(".h") || file.ends_with(".hpp") || file.ends_with(".cuh"))
      for (const std::string& type : typesIn(textOf(root / file)))
        headers[type].push_back(file);
  return headers;
}

std::optional<std::string> headerOfPart(const std::string& source) {
  static const std::regex pattern(R"(^(?:// SPDX[^\n]*\n\n)?// (\w+\.h): \w)");
  std::smatch match;
  if (!std::regex_search(source, match, pattern, std::regex_constants::match_continuous))
    return std::nullopt;
  return match[1].str();
}

}  // namespace headlight::testing
