// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/manual/ProgramManual.h"

#include <algorithm>
#include <cctype>

namespace headlight {
namespace {

constexpr const char* kChoices = "[one of: ";

std::vector<std::string> partsOf(const std::string& text, const std::string& separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = text.find(separator); end != std::string::npos;
       end = text.find(separator, begin)) {
    parts.push_back(text.substr(begin, end - begin));
    begin = end + separator.size();
  }
  parts.push_back(text.substr(begin));
  return parts;
}

/// Small letters stand for themselves: "yes|no". Capitals name what is wanted: "NAME|FILE".
bool isSpelledOut(const std::string& value) {
  return value.find('|') != std::string::npos &&
         std::none_of(value.begin(), value.end(),
                      [](unsigned char c) { return std::isupper(c) != 0 || std::isspace(c) != 0; });
}

}  // namespace

std::vector<std::string> ManualOption::choices() const {
  const std::string kind = value.substr(0, value.find(' '));  // without " ..."
  if (isSpelledOut(kind)) return partsOf(kind, "|");
  const auto begin = help.find(kChoices);
  if (begin == std::string::npos) return {};
  const auto first = begin + std::string(kChoices).size();
  const auto end = help.find_first_of(";]", first);
  if (end == std::string::npos) return {};
  return partsOf(help.substr(first, end - first), ", ");
}

bool ManualOption::takesNumbers() const {
  static const std::vector<std::string> kKinds{"INT", "NUM", "A,B,..", "N", "SECONDS", "FACTOR"};
  const std::string kind = value.substr(0, value.find(' '));
  return std::find(kKinds.begin(), kKinds.end(), kind) != kKinds.end();
}

std::string CommandManual::pageName() const {
  std::string page = name;
  std::replace(page.begin(), page.end(), ' ', '-');
  return page;
}

std::string CommandManual::lastWord() const {
  const auto space = name.rfind(' ');
  return space == std::string::npos ? name : name.substr(space + 1);
}

void forEachCommand(const CommandManual& command,
                    const std::function<void(const CommandManual&)>& use) {
  use(command);
  for (const CommandManual& below : command.commands)
    forEachCommand(below, use);
}

std::string markedCharacters(const std::string& text, const std::string& which,
                             const std::string& mark) {
  std::string marked;
  for (const char c : text) {
    if (which.find(c) != std::string::npos) marked += mark;
    marked += c;
  }
  return marked;
}

std::string oneLine(const std::string& text) {
  std::string line;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\n' || c == '\t';
    if (space && (line.empty() || line.back() == ' ')) continue;
    line += space ? ' ' : c;
  }
  if (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

}  // namespace headlight
