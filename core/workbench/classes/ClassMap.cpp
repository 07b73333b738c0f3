// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/classes/ClassMap.h"

#include <charconv>
#include <limits>
#include <unordered_map>

#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/config/ConfigText.h"
#include "core/workbench/classes/TextLines.h"

namespace headlight {
namespace {

constexpr std::size_t kMostMapKeys = 50'000;  // of an object, whose keys are compared one by one
constexpr const char* kHowMapsAreWritten =
    "write two columns: the folder and the model's class, by name or index; put names with commas "
    "in double quotes";

[[noreturn]] void refuseMap(const std::string& message, const std::string& where) {
  throw Failure({ErrorCode::InvalidFile, message, where});
}

/// A whole number from 0; nothing where the text is none, or one beyond all classes.
std::optional<std::int64_t> indexIn(std::string_view text) {
  std::int64_t index = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), index);
  const bool whole = problem == std::errc() && end == text.data() + text.size() && !text.empty();
  if (!whole || index < 0 || text.front() == '-') return std::nullopt;
  return index;
}

/// Adds entries, each folder once.
class MapBuilder {
 public:
  explicit MapBuilder(const std::string& where) { m_map.where = where; }

  void add(ClassMapEntry entry) {
    if (entry.folder.empty()) refuseMap(tr("has no folder in ") + entry.place, m_map.where);
    if (entry.name.empty() && !entry.index)
      refuseMap(tr("has no model class in ") + entry.place + tr("; give a name or an index"),
                m_map.where);
    const auto [known, isNew] = m_places.emplace(entry.folder, m_map.entries.size());
    if (!isNew) return requireSame(m_map.entries[known->second], entry);
    m_map.entries.push_back(std::move(entry));
  }

  ClassMap take() {
    if (m_map.entries.empty()) refuseMap(tr("contains no class; write one per line"), m_map.where);
    return std::move(m_map);
  }

 private:
  void requireSame(const ClassMapEntry& first, const ClassMapEntry& second) const {
    if (first.name == second.name && first.index == second.index) return;
    refuseMap("gives \"" + first.folder + tr("\" two classes, in ") + first.place + tr(" and in ") +
                  second.place + tr("; remove one of them"),
              m_map.where);
  }

  ClassMap m_map;
  std::unordered_map<std::string, std::size_t> m_places;
};

/// The cells of a line; `line` names it in errors.
class LineCells {
 public:
  LineCells(std::string_view text, const std::string& place, const std::string& where)
      : m_rest(text), m_separator(text.find('\t') == text.npos ? ',' : '\t') {
    while (true) {
      cells.push_back(isQuoted() ? quotedCell(place, where) : plainCell());
      if (m_rest.empty()) break;
      m_rest.remove_prefix(1);
    }
  }

  std::vector<std::string> cells;

 private:
  bool isQuoted() {
    const auto first = m_rest.find_first_not_of(m_separator == '\t' ? " " : " \t");
    if (first == m_rest.npos || m_rest[first] != '"') return false;
    m_rest.remove_prefix(first + 1);
    return true;
  }

  std::string plainCell() {
    const std::string_view cell = m_rest.substr(0, m_rest.find(m_separator));
    m_rest.remove_prefix(cell.size());
    return std::string(trimmed(cell));
  }

  /// Behind its first quote; quotes in it are doubled (RFC 4180).
  std::string quotedCell(const std::string& place, const std::string& where) {
    std::string cell;
    while (true) {
      const auto quote = m_rest.find('"');
      if (quote == m_rest.npos)
        refuseMap(tr("has an unclosed double quote in ") + place + "", where);
      cell += m_rest.substr(0, quote);
      m_rest.remove_prefix(quote + 1);
      if (!m_rest.starts_with('"')) break;
      cell += '"';
      m_rest.remove_prefix(1);
    }
    const std::string_view behind = m_rest.substr(0, m_rest.find(m_separator));
    if (!trimmed(behind).empty())
      refuseMap(
          tr("has text after a closing quote in ") + place + tr("; double the quotes inside names"),
          where);
    m_rest.remove_prefix(behind.size());
    return cell;
  }

  std::string_view m_rest;
  char m_separator;
};

ClassMap mapFromLines(std::string_view text, const std::string& where) {
  if (text.find('\0') != text.npos)
    refuseMap(std::string(tr("is not text; ")) + kHowMapsAreWritten, where);
  MapBuilder map(where);
  std::size_t number = 0;
  for (const std::string_view line : splitLines(text)) {
    const std::string place = "line " + std::to_string(++number);
    if (trimmed(line).empty()) continue;
    auto cells = LineCells(line, place, where).cells;
    if (cells.size() != 2)
      refuseMap("has " + std::to_string(cells.size()) +
                    (cells.size() == 1 ? " column" : " columns") + " in " + place + "; " +
                    kHowMapsAreWritten,
                where);
    if (number == 1 && cells[0] == "folder" && cells[1] == "class") continue;
    const auto index = indexIn(cells[1]);
    map.add({std::move(cells[0]), std::move(cells[1]), index, place});
  }
  return map.take();
}

ClassMapEntry entryOf(const std::string& folder, const Json& value, const std::string& where) {
  if (value.is_string()) return {folder, value.get<std::string>(), std::nullopt, folder};
  const bool counts = value.is_number_unsigned() &&
                      value.get<std::uint64_t>() <=
                          static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (!counts)
    refuseMap(tr("must map \"") + folder + tr("\" to a class name of the model or an index from 0"),
              where);
  return {folder, "", value.get<std::int64_t>(), folder};
}

ClassMap mapFromObject(std::string_view text, const std::string& where) {
  const auto json = parseConfigJson(withoutMark(text), where, kMaxConfigText, kMostMapKeys);
  if (!json) refuseMap(json.error().message, where);
  if (!json->is_object())
    refuseMap(tr("is a list; a class map must be an object from folder to model class"), where);
  MapBuilder map(where);
  for (const auto& [folder, value] : json->items())
    map.add(entryOf(folder, value, where));
  return map.take();
}

}  // namespace

Result<ClassMap> classMapFromText(std::string_view text, const std::string& where) {
  return guarded(where, [&] {
    return isJsonText(text) ? mapFromObject(text, where) : mapFromLines(text, where);
  });
}

Result<ClassMap> readClassMap(const std::filesystem::path& path) {
  const auto text = readFile(path, kMaxConfigText);
  if (!text) return text.error();
  return classMapFromText(*text, path.string());
}

}  // namespace headlight
