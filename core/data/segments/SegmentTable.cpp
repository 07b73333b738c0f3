// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/segments/SegmentTable.h"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "core/base/Result.h"
#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/base/Utf8.h"
#include "core/base/files/Files.h"
#include "core/data/labels/TableText.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

using Cells = std::vector<std::string>;

constexpr std::uintmax_t kMostTableBytes = std::uintmax_t{16} << 20;
constexpr std::size_t kColorCells = 3;

std::optional<int> wholeNumber(const std::string& text) {
  int value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = !text.empty() && code == std::errc() && end == text.data() + text.size();
  return whole ? std::optional(value) : std::nullopt;
}

/// Cells of one line, whose place is in `line`.
class TableRow {
 public:
  TableRow(Cells cells, char separator, std::size_t line)
      : m_cells(std::move(cells)), m_line(line) {
    while (!m_cells.empty() && m_cells.back().empty())
      m_cells.pop_back();
    if (separator == ' ') joinName();
  }

  bool isHeading() const { return m_cells.empty() || !wholeNumber(m_cells.front()); }

  SegmentTableRow read() const {
    if (m_cells.size() != 2 && m_cells.size() != 2 + kColorCells)
      refuse(tr("has ") + std::to_string(m_cells.size()) +
             tr(" columns; expected index, name or index, name, red, green, blue"));
    const auto number = wholeNumber(m_cells[0]);
    if (!number) refuse("\"" + m_cells[0] + tr("\" is no index"));
    const std::string& name = m_cells[1];
    if (name.empty()) refuse(tr("has no name"));
    if (!isUtf8Name(name)) refuse(tr("has a name that is not UTF-8"));
    SegmentTableRow row{*number, name};
    if (m_cells.size() > 2) row.color = color();
    row.ignored = lowered(name) == "ignored" || lowered(name) == "void";
    return row;
  }

 private:
  [[noreturn]] void refuse(const std::string& message) const {
    throw Failure(
        {ErrorCode::InvalidFile, tr("line ") + std::to_string(m_line) + ": " + message, ""});
  }

  /// Words of a name between the index and, where there are three numbers at the end, the color.
  void joinName() {
    const std::size_t count = m_cells.size();
    const bool colored =
        count >= 2 + kColorCells &&
        std::all_of(m_cells.end() - kColorCells, m_cells.end(),
                    [](const std::string& c) { return wholeNumber(c).has_value(); });
    const std::size_t end = colored ? count - kColorCells : count;
    if (end <= 2) return;
    std::string name = m_cells[1];
    for (std::size_t i = 2; i < end; ++i)
      addTo(name, m_cells[i], " ");
    Cells joined{m_cells[0], name};
    joined.insert(joined.end(), m_cells.begin() + static_cast<std::ptrdiff_t>(end), m_cells.end());
    m_cells = std::move(joined);
  }

  ClassColor color() const {
    ClassColor color{};
    for (std::size_t i = 0; i < kColorCells; ++i) {
      const auto value = wholeNumber(m_cells[2 + i]);
      if (!value || *value < 0 || *value > 255)
        refuse("\"" + m_cells[2 + i] + tr("\" is no part of a color; give 0 to 255"));
      color[i] = static_cast<std::uint8_t>(*value);
    }
    return color;
  }

  Cells m_cells;
  std::size_t m_line;
};

std::vector<SegmentTableRow> rowsOf(std::string_view text) {
  const char separator = columnSeparator(text);
  TableRows rows(text, separator);
  std::vector<SegmentTableRow> classes;
  Cells cells;
  for (bool first = true; rows.next(cells); first = false) {
    const TableRow row(cells, separator, rows.line());
    if (!first || !row.isHeading()) classes.push_back(row.read());
  }
  return classes;
}

/// The failure of `read` with the table's name.
template <typename Read>
auto withTableName(const std::string& where, Read read) {
  try {
    return read();
  } catch (const Failure& failure) {
    Error error = failure.error();
    if (error.where.empty()) error.where = where;
    throw Failure(error);
  }
}

}  // namespace

bool isUtf8Name(std::string_view name) {
  while (!name.empty()) {
    const std::size_t length = utf8Length(name);
    if (length == 0) return false;
    name.remove_prefix(length);
  }
  return true;
}

std::vector<SegmentTableRow> segmentTableFromText(std::string_view text, const std::string& where) {
  return withTableName(where, [&] { return rowsOf(text); });
}

fs::path segmentTableIn(const fs::path& folder) {
  for (const char* name : {"classes.txt", "classes.csv"}) {
    std::error_code unknown;
    if (fs::is_regular_file(folder / name, unknown)) return folder / name;
  }
  return {};
}

SegmentClasses readSegmentTable(const fs::path& path) {
  const std::string text = valueOrThrow(readFile(path, kMostTableBytes));
  return withTableName(path.string(), [&] { return segmentClasses(rowsOf(text)); });
}

std::string segmentTableText(const std::vector<std::string>& names,
                             const std::vector<ClassColor>& colors) {
  std::string text = "index,name,red,green,blue\n";
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += std::to_string(i) + "," + csvQuoted(names[i]);
    for (const int channel : colors.at(i))
      text += "," + std::to_string(channel);
    text += "\n";
  }
  return text;
}

}  // namespace headlight
