// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/labels/LabelList.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

#include "core/base/Result.h"
#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/config/ConfigText.h"
#include "core/data/labels/TableText.h"

namespace headlight {
namespace {

using Cells = std::vector<std::string>;

constexpr std::size_t kRunningRows = 10;  // from here on, numbers that count rows are no classes
constexpr std::size_t kNamedColumns = 8;

/// In the order in which they are preferred.
const Cells kNameColumns{"file_name", "filename",  "filepath",   "file_path", "image_path",
                         "img_path",  "imagepath", "path",       "file",      "image_name",
                         "img_name",  "image",     "image_file", "img",       "image_id",
                         "imageid",   "name",      "id"};
const Cells kLabelColumns{"label",    "class_name",      "label_name",  "class",
                          "category", "labels",          "target",      "class_id",
                          "label_id", "category_id",     "class_index", "species",
                          "breed",    "predictionstring"};
const Cells kSplitColumns{"split", "subset", "partition", "set"};
constexpr const char* kObjects = "predictionstring";  // "n02084071 12 30 400 310": its first word

[[noreturn]] void refuseList(const std::string& message) {
  throw Failure({ErrorCode::InvalidFile, message, ""});
}

std::optional<std::size_t> columnOf(const Cells& heading, const Cells& known) {
  for (const std::string& name : known)
    for (std::size_t i = 0; i < heading.size(); ++i)
      if (lowered(heading[i]) == name) return i;
  return std::nullopt;
}

bool isLabelNumber(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789.-") == text.npos;
}

/// Which columns a heading names.
struct Columns {
  std::size_t name = 0, label = 1;
  std::optional<std::size_t> split;
  bool objects = false;
};

Columns columnsFrom(const Cells& heading, std::size_t name) {
  Columns columns{name, 0, columnOf(heading, kSplitColumns)};
  const auto label = columnOf(heading, kLabelColumns);
  if (!label && heading.size() != 2)
    refuseList(tr("has the columns ") + joined(heading, kNamedColumns) +
               tr(", and none of classes; call that column \"label\""));
  columns.label = label.value_or(1 - name);
  columns.objects = lowered(heading[columns.label]) == kObjects;
  return columns;
}

LabelRow rowFrom(const Cells& cells, const Columns& columns, std::size_t line) {
  if (cells.size() <= std::max(columns.name, columns.label) || cells[columns.label].empty())
    refuseList(tr("has no class in line ") + std::to_string(line));
  LabelRow row{cells[columns.name], cells[columns.label], ""};
  if (columns.objects) row.label = row.label.substr(0, row.label.find(' '));
  if (columns.split && *columns.split < cells.size()) row.split = cells[*columns.split];
  return row;
}

/// A line of words: one number or more is a class first; else all words are its name.
std::string labelFrom(const Cells& words, std::size_t line) {
  const auto first = words.begin() + 1;
  if (!std::all_of(first, words.end(), isLabelNumber)) {
    std::string label;
    std::for_each(first, words.end(), [&](const std::string& word) { addTo(label, word, " "); });
    return label;
  }
  const bool marks = std::all_of(first, words.end(), [](const std::string& word) {
    return word == "0" || word == "1" || word == "-1";
  });
  if (words.size() > 3 && marks)
    refuseList(tr("marks several classes for an image (line ") + std::to_string(line) +
               tr("); one class per image is read"));
  return *first;
}

/// "apple_pie" of "apple_pie/1005649": the folder says the class.
std::string folderOf(const std::string& name, std::size_t line) {
  std::string folder = std::filesystem::path(name).parent_path().filename().string();
  if (folder.empty())
    refuseList(tr("has no class in line ") + std::to_string(line) +
               tr("; write \"path label\", or paths in folders named after their classes"));
  return folder;
}

LabelList fromTable(std::string_view text) {
  const char separator = columnSeparator(text);
  TableRows rows(text, separator);
  Cells cells;
  LabelList list;
  std::optional<Columns> columns;
  for (bool first = true; rows.next(cells); first = false) {
    if (cells[0].starts_with('#')) continue;
    if (first)
      if (const auto name = columnOf(cells, kNameColumns); name && cells.size() > 1) {
        columns = columnsFrom(cells, *name);
        continue;
      }
    if (columns)
      list.rows.push_back(rowFrom(cells, *columns, rows.line()));
    else if (cells.size() == 1)
      list.rows.push_back({cells[0], folderOf(cells[0], rows.line()), ""});
    else if (separator == ' ')
      list.rows.push_back({cells[0], labelFrom(cells, rows.line()), ""});
    else
      list.rows.push_back(rowFrom(cells, Columns(), rows.line()));
  }
  list.mayBeginWithHeading = !columns;
  return list;
}

/// Nothing where the object has no such key.
std::optional<std::string> textOf(const Json& object, const Cells& keys, const std::string& place) {
  for (const std::string& key : keys) {
    if (!object.contains(key)) continue;
    const Json& value = object[key];
    if (value.is_string()) return value.get<std::string>();
    if (value.is_number_integer()) return value.dump();
    refuseList("\"" + key + tr("\" is neither a text nor a whole number in ") + place +
               tr("; one class per image is read"));
  }
  return std::nullopt;
}

LabelList fromJsonLines(std::string_view text, const std::string& where) {
  LabelList list;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (withoutBlanks(line).empty()) continue;
    const std::string place = "line " + std::to_string(number);
    const Json object = valueOrThrow(parseConfigJson(line, where + ", " + place, 1u << 20));
    if (!object.is_object()) refuseList(tr("has no object in ") + place);
    const auto name = textOf(object, kNameColumns, place);
    const auto label = textOf(object, kLabelColumns, place);
    if (!name || !label || label->empty())
      refuseList(tr("has no \"file_name\" or no \"label\" in ") + place);
    list.rows.push_back({*name, *label, textOf(object, kSplitColumns, place).value_or("")});
  }
  return list;
}

/// "3" of "3.0", as tables of numbers write classes. Other fractions are places or values.
std::string classFrom(const std::string& label, std::size_t row) {
  const std::size_t dot = label.find('.');
  const std::size_t first = label.starts_with('-') ? 1 : 0;
  const bool fraction = dot != label.npos && dot > first && dot + 1 < label.size() &&
                        label.find_first_not_of("0123456789.", first) == label.npos &&
                        label.find('.', dot + 1) == label.npos;
  if (!fraction) return label;
  if (label.find_first_not_of('0', dot + 1) != label.npos)
    refuseList(tr("has numbers with fractions and no classes (image ") + std::to_string(row + 1) +
               ")");
  return label.substr(0, dot);
}

/// Such lists number their images ("ILSVRC2012_val_00000001 1") and say no class.
void requireNoRunningNumbers(const LabelList& list) {
  if (list.rows.size() < kRunningRows) return;
  for (const std::size_t from : {0u, 1u}) {
    std::size_t number = from;
    if (std::all_of(list.rows.begin(), list.rows.end(),
                    [&](const LabelRow& row) { return row.label == std::to_string(number++); }))
      refuseList(tr("numbers its images one after another and says no classes"));
  }
}

LabelList parsed(std::string_view text, const std::string& file, const std::string& where) {
  if (text.find('\0') != text.npos) refuseList(tr("is not text"));
  const std::string ending = lowered(std::filesystem::path(file).extension().string());
  LabelList list =
      ending == ".jsonl" || ending == ".ndjson" ? fromJsonLines(text, where) : fromTable(text);
  if (list.rows.empty()) refuseList(tr("names no images"));
  for (std::size_t i = 0; i < list.rows.size(); ++i)
    list.rows[i].label = classFrom(list.rows[i].label, i);
  requireNoRunningNumbers(list);
  return list;
}

}  // namespace

LabelList parseLabelList(std::string_view text, const std::string& file, const std::string& where) {
  const auto list = guarded(where, [&] { return parsed(text, file, where); });
  if (list) return *list;
  Error error = list.error();
  error.where = where;
  throw Failure(error);
}

bool mayBeLabelList(const std::string& name) {
  constexpr std::array<std::string_view, 7> kEndings{".csv",    ".tsv", ".txt", ".jsonl",
                                                     ".ndjson", ".lst", ".list"};
  constexpr std::array<std::string_view, 8> kOthers{"readme",      "license",   "classes",
                                                    "class_names", "words",     "requirements",
                                                    "wnids",       "submission"};
  const std::filesystem::path path(lowered(name));
  const std::string ending = path.extension().string(), stem = path.stem().string();
  const auto isIn = [&](std::string_view word) { return stem.find(word) != stem.npos; };
  return std::find(kEndings.begin(), kEndings.end(), ending) != kEndings.end() &&
         std::none_of(kOthers.begin(), kOthers.end(), isIn);
}

}  // namespace headlight
