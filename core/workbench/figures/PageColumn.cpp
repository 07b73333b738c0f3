// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/figures/PageColumn.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/config/Parameter.h"
#include "core/workbench/attribution/Explanations.h"

namespace headlight {
namespace {

Error badColumn(const std::string& message, const std::string& text) {
  return {ErrorCode::InvalidArgument, message, text};
}

std::string trimmedPart(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\n");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

/// At `separator` outside brackets, each part trimmed.
std::vector<std::string> partsOutsideBrackets(const std::string& text, char separator) {
  std::vector<std::string> parts{""};
  int depth = 0;
  for (const char letter : text) {
    depth += letter == '(' ? 1 : letter == ')' ? -1 : 0;
    if (letter == separator && depth <= 0)
      parts.emplace_back();
    else
      parts.back() += letter;
  }
  for (std::string& part : parts)
    part = trimmedPart(part);
  return parts;
}

std::optional<int> indexFrom(std::string_view text) {
  int number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size() && !text.empty();
  return whole && number >= 0 ? std::optional(number) : std::nullopt;
}

/// The first word, and what follows it.
std::pair<std::string, std::string> headAndRest(const std::string& text) {
  const auto space = text.find_first_of(" \t");
  if (space == std::string::npos) return {text, ""};
  return {text.substr(0, space), trimmedPart(text.substr(space))};
}

/// "3.1" of a head, "3" of a layer.
Result<void> readPlace(PageColumn& column, const std::string& place, const std::string& text) {
  const auto dot = place.find('.');
  const auto layer = indexFrom(std::string_view(place).substr(0, dot));
  const auto head = dot == std::string::npos ? std::optional(-1)
                                             : indexFrom(std::string_view(place).substr(dot + 1));
  if (!layer || !head || (column.shows == "layer" && *head >= 0))
    return badColumn(
        tr("must be head LAYER.HEAD, such as head 3.1, or layer 3 for the mean of its heads; "
           "both count from 0"),
        text);
  column.shows = *head < 0 ? "layer" : "head";
  column.layer = *layer;
  column.head = *head;
  return {};
}

Result<void> readWord(PageColumn& column, const std::string& words, const std::string& text) {
  const auto [word, rest] = headAndRest(words);
  column.shows = word;
  if (word == "head" || word == "layer") return readPlace(column, rest, text);
  if (word == "picture") column.shows = "image";  // its former name
  if (rest.empty() && (column.shows == "image" || word == "rollout" || column.isFound())) return {};
  const ExplanationInfo* method = explanationFromName(word);
  if (method && method->kind == ExplanationKind::Curve)
    return badColumn(
        tr("is a curve, not a map; headlight-cli attend --show ") + method->name + tr(" draws it"),
        text);
  if (method) column.shows = method->name;
  if (rest.empty() && method) return {};
  std::vector<std::string> names{"image", "head", "layer", "rollout", "boxes", "segments"};
  for (const ExplanationInfo& known : explanationMethods())
    names.push_back(known.name);
  const std::string close = closestName(word, names);
  return badColumn(
      (close.empty() ? tr("is not a known column; choose one of ") + joined(pageColumnWords())
                     : tr("is not a known column; did you mean \"") + close + "\"?") +
          (rest.empty() || !explanationFromName(close) ? "" : tr(" Options go in brackets")),
      text);
}

Result<void> readOption(PageColumn& column, const std::string& option, const std::string& text) {
  const auto [key, value] = headAndRest(option);
  const ExplanationInfo* method = explanationFromName(column.shows);
  const bool inferences = column.isAttention() || (method && method->ofToken);
  if (key == "label") {
    column.label = value;
  } else if (key == "query" && inferences) {
    column.query = value;
  } else if (key == "class" && method && method->ofClass) {
    column.classText = value;
  } else if (key == "foreground" && value.empty() && column.isColors()) {
    column.foreground = true;
  } else if (key == "layer" && method && method->ofLayer) {
    const auto layer = indexFrom(value);
    if (!layer) return badColumn(tr("layer must be a whole number, from 0"), text);
    column.layer = *layer;
  } else {
    return badColumn(tr("has no option \"") + key + "\"", text);
  }
  return {};
}

}  // namespace

bool PageColumn::isColors() const {
  const ExplanationInfo* method = explanationFromName(shows);
  return method && method->kind == ExplanationKind::Colors;
}

std::vector<std::string> pageColumnWords() {
  std::vector<std::string> words{"image",   "head LAYER.HEAD", "layer LAYER",
                                 "rollout", "boxes",           "segments"};
  for (const ExplanationInfo& method : explanationMethods())
    if (method.kind != ExplanationKind::Curve) words.push_back(method.name);
  return words;
}

Result<PageColumn> pageColumnFromText(const std::string& text) {
  const std::string all = trimmedPart(text);
  const auto open = all.find('(');
  PageColumn column;
  if (const auto read = readWord(column, trimmedPart(all.substr(0, open)), all); !read)
    return read.error();
  if (open == std::string::npos) return column;
  if (all.back() != ')') return badColumn(tr("has an unclosed bracket"), all);
  const std::string inside = all.substr(open + 1, all.size() - open - 2);
  for (const std::string& option : partsOutsideBrackets(inside, ';')) {
    if (std::count(option.begin(), option.end(), '(') !=
        std::count(option.begin(), option.end(), ')'))
      return badColumn(tr("has an unclosed bracket"), all);
    if (const auto read = readOption(column, option, all); !read) return read.error();
  }
  return column;
}

Result<std::vector<PageColumn>> pageColumnsFromText(const std::string& text) {
  std::vector<PageColumn> columns;
  for (const std::string& part : partsOutsideBrackets(text, ',')) {
    auto column = pageColumnFromText(part);
    if (!column) return column.error();
    columns.push_back(std::move(*column));
  }
  return columns;
}

std::string toText(const PageColumn& column) {
  std::string text = column.shows;
  if (column.isAttention()) text.append(" ").append(std::to_string(column.layer));
  if (column.shows == "head") text.append(".").append(std::to_string(column.head));
  std::string options;
  if (!column.classText.empty()) addTo(options, "class " + column.classText, "; ");
  if (!column.isAttention() && column.layer >= 0)
    addTo(options, "layer " + std::to_string(column.layer), "; ");
  if (!column.query.empty()) addTo(options, "query " + column.query, "; ");
  if (column.foreground) addTo(options, "foreground", "; ");
  if (!options.empty()) text.append(" (").append(options).append(")");
  return text;
}

Result<int> tokenFromText(const std::string& text, const Grid& grid) {
  const auto refuse = [&](const std::string& message) {
    return Error{ErrorCode::InvalidArgument, message, "query " + text};
  };
  const auto patch = [&](int index) { return grid.prefix + index; };
  if (text.empty()) return grid.hasClassToken() ? 0 : grid.middleToken();
  if (text == "class") {
    if (grid.hasClassToken()) return 0;
    return refuse(tr("this model has no class token; give a patch, such as 0,0"));
  }
  const int firstRegister = grid.prefix - grid.registers;
  if (text == "distillation") {
    if (firstRegister >= 2) return 1;
    return refuse(tr("this model has no distillation token; give class or a patch"));
  }
  if (text.starts_with("register")) {
    const auto number = indexFrom(std::string_view(text).substr(8));
    if (number && *number >= 1 && *number <= grid.registers) return firstRegister + *number - 1;
    return refuse(grid.registers == 0
                      ? tr("this model has no register tokens; give a patch, such as 0,0")
                      : tr("must be register1 to register") + std::to_string(grid.registers));
  }
  const auto comma = text.find(',');
  const auto row = indexFrom(trimmedPart(text.substr(0, comma)));
  if (comma == std::string::npos) {
    if (row && *row < grid.patches()) return patch(*row);
    return refuse(tr("must be class, register1 and so on, a patch from 0 to ") +
                  std::to_string(grid.patches() - 1) + tr(", or row,column"));
  }
  const auto col = indexFrom(trimmedPart(text.substr(comma + 1)));
  if (row && col && *row < grid.rows && *col < grid.cols) return patch(*row * grid.cols + *col);
  return refuse(tr("must be row,column of a grid of ") + std::to_string(grid.rows) +
                tr(" rows and ") + std::to_string(grid.cols) + tr(" columns, counted from 0"));
}

}  // namespace headlight
