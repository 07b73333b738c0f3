// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/labels/TableText.h"

#include <algorithm>

#include "core/base/Result.h"
#include "core/base/Translation.h"
#include "core/imaging/codecs/Image.h"

namespace headlight {
namespace {

constexpr std::size_t kMostCells = 4096;

std::string_view withoutMark(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  return text;
}

bool isBlank(char letter) {
  return letter == ' ' || letter == '\t' || letter == '\r';
}

/// Where the first cell of words ends: behind a name that ends as an image, else at a blank.
std::size_t endOfName(std::string_view line) {
  const std::size_t first = std::min(line.find_first_of(" \t"), line.size());
  for (std::size_t end = first; end < line.size(); end = line.find_first_of(" \t", end + 1))
    if (hasImageExtension(std::string(line.substr(0, end)))) return end;
  return first;
}

}  // namespace

std::string_view withoutBlanks(std::string_view text) {
  while (!text.empty() && isBlank(text.front()))
    text.remove_prefix(1);
  while (!text.empty() && isBlank(text.back()))
    text.remove_suffix(1);
  return text;
}

char columnSeparator(std::string_view text) {
  const std::string_view line = withoutMark(text).substr(0, withoutMark(text).find('\n'));
  if (line.find('\t') != line.npos) return '\t';
  for (const char separator : {',', ';'})
    if (line.find(separator) != line.npos) return separator;
  return ' ';
}

TableRows::TableRows(std::string_view text, char separator)
    : m_rest(withoutMark(text)), m_separator(separator) {}

std::string_view TableRows::takeLine() {
  const std::size_t end = std::min(m_rest.find('\n'), m_rest.size());
  const std::string_view line = withoutBlanks(m_rest.substr(0, end));
  m_rest.remove_prefix(std::min(end + 1, m_rest.size()));
  ++m_line;
  return line;
}

void TableRows::takeWords(std::string_view line, std::vector<std::string>& cells) const {
  std::size_t end = endOfName(line);
  while (!line.empty() && cells.size() < kMostCells) {
    cells.emplace_back(line.substr(0, end));
    line = withoutBlanks(line.substr(end));
    end = std::min(line.find_first_of(" \t"), line.size());
  }
}

/// Behind its first quote; up to the separator or line end that follows.
std::string TableRows::takeQuoted() {
  std::string cell;
  while (true) {
    const std::size_t quote = m_rest.find('"');
    if (quote == m_rest.npos)
      throw Failure({ErrorCode::InvalidFile,
                     tr("has an unclosed double quote in line ") + std::to_string(m_rowLine), ""});
    m_line += static_cast<std::size_t>(
        std::count(m_rest.begin(), m_rest.begin() + static_cast<std::ptrdiff_t>(quote), '\n'));
    cell += m_rest.substr(0, quote);
    m_rest.remove_prefix(quote + 1);
    if (!m_rest.starts_with('"')) break;
    cell += '"';
    m_rest.remove_prefix(1);
  }
  const char ends[] = {m_separator, '\n', '\0'};
  m_rest.remove_prefix(std::min(m_rest.find_first_of(ends), m_rest.size()));
  return cell;
}

bool TableRows::next(std::vector<std::string>& cells) {
  cells.clear();
  while (!m_rest.empty() &&
         withoutBlanks(m_rest.substr(0, std::min(m_rest.find('\n'), m_rest.size()))).empty())
    takeLine();
  if (m_rest.empty()) return false;
  m_rowLine = m_line;
  if (m_separator == ' ') return takeWords(takeLine(), cells), true;
  while (true) {
    const std::size_t first = m_rest.find_first_not_of(' ');
    if (first != m_rest.npos && m_rest[first] == '"') {
      m_rest.remove_prefix(first + 1);
      cells.push_back(takeQuoted());
    } else {
      const char ends[] = {m_separator, '\n', '\0'};
      const std::size_t end = std::min(m_rest.find_first_of(ends), m_rest.size());
      cells.emplace_back(withoutBlanks(m_rest.substr(0, end)));
      m_rest.remove_prefix(end);
    }
    const bool more = !m_rest.empty() && m_rest.front() == m_separator;
    m_rest.remove_prefix(m_rest.empty() ? 0 : 1);
    if (!more) break;
    if (cells.size() >= kMostCells)
      throw Failure({ErrorCode::InvalidFile,
                     tr("has too many columns in line ") + std::to_string(m_rowLine), ""});
  }
  ++m_line;
  return true;
}

}  // namespace headlight
