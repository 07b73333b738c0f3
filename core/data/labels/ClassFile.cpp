// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/labels/ClassFile.h"

#include <algorithm>
#include <cctype>

#include "core/data/labels/TableText.h"

namespace headlight {
namespace {

using Names = std::vector<std::string>;

constexpr std::uintmax_t kMaxClassFileBytes = 16u << 20;

Names linesOf(std::string_view text) {
  Names lines;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (!withoutBlanks(line).empty()) lines.emplace_back(withoutBlanks(line));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return lines;
}

/// "rice leaf roller" of "1   rice leaf roller", where every line begins with its number.
Names withoutNumbers(Names lines) {
  for (const std::size_t from : {0u, 1u}) {
    Names names;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::string number = std::to_string(i + from);
      if (!lines[i].starts_with(number) || lines[i].size() <= number.size() + 1) break;
      const char behind = lines[i][number.size()];
      if (std::isdigit(static_cast<unsigned char>(behind)) != 0) break;
      const std::string rest = lines[i].substr(number.size() + 1);
      names.emplace_back(withoutBlanks(rest));
    }
    if (names.size() == lines.size()) return names;
  }
  return lines;
}

}  // namespace

Names classFileIn(const FilePlace& place) {
  for (const std::string folder : {"", "meta/", "annotations/", "labels/"})
    for (const char* name : {"classes.txt", "class_names.txt", "label_names.txt"}) {
      if (!place.hasFile(folder + name)) continue;
      const auto text = place.read(folder + name, kMaxClassFileBytes);
      if (!text) continue;
      return withoutNumbers(linesOf(*text));
    }
  return {};
}

}  // namespace headlight
