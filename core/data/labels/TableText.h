// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Tables as text: CSV (RFC 4180), columns separated by tabs, and lines of words.

#include <string>
#include <string_view>
#include <vector>

namespace headlight {

/// What separates the columns of a text, by its first line: a tab, a comma, a semicolon, or blanks
/// (' ').
char columnSeparator(std::string_view text);

/// The rows of a text, one after another; blank lines are left out. Cells in double quotes may hold
/// separators, doubled quotes and line ends, except between blanks, where a first cell that ends as
/// an image may hold blanks: "my cat.jpg 3".
class TableRows {
 public:
  TableRows(std::string_view text, char separator);
  /// False at the end. Throws Failure (InvalidFile, without a place) for a quote that is not
  /// closed, and for more than 4096 cells in a row.
  bool next(std::vector<std::string>& cells);
  /// Of the row read last, from 1.
  std::size_t line() const { return m_rowLine; }

 private:
  std::string_view takeLine();
  void takeWords(std::string_view line, std::vector<std::string>& cells) const;
  std::string takeQuoted();

  std::string_view m_rest;
  char m_separator;
  std::size_t m_line = 1, m_rowLine = 0;
};

/// Without blanks around it.
std::string_view withoutBlanks(std::string_view text);

}  // namespace headlight
