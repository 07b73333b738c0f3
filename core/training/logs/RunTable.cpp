// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/logs/RunTable.h"

#include <algorithm>
#include <utility>

#include "core/base/Text.h"

namespace headlight {

RunTable::RunTable(const OpenFolder& folder, std::string columns, std::string run,
                   std::string measured)
    : m_folder(folder),
      m_columns(std::move(columns)),
      m_run(std::move(run)),
      m_measured(std::move(measured)),
      m_log(folder, "metrics.csv") {}

std::string RunTable::headWith(const Ending& ending) const {
  return m_columns + (ending.ids ? ",run,seconds" : ",seconds") +
         (ending.measured ? "," + m_measured : "");
}

/// Nothing for the head of another table.
std::optional<RunTable::Ending> RunTable::findEnding(const std::string& head) const {
  for (const bool ids : {true, false})
    for (const bool measured : {true, false})
      if ((!measured || !m_measured.empty()) && head == headWith({ids, measured}))
        return Ending{ids, measured};
  return std::nullopt;
}

/// The last cell before the seconds.
std::string RunTable::idInRow(const std::string& row, const Ending& ending) const {
  std::ptrdiff_t after = 1;  // cells
  if (ending.measured) after += 1 + std::count(m_measured.begin(), m_measured.end(), ',');
  std::string before = row;
  for (; after > 0; --after) {
    const std::size_t comma = before.rfind(',');
    if (comma == std::string::npos) return "";
    before.resize(comma);
  }
  const std::size_t comma = before.rfind(',');
  return comma == std::string::npos ? "" : before.substr(comma + 1);
}

void RunTable::readHead() {
  const std::string written = m_log.head(), &waiting = m_log.unwritten();
  const Ending own{!m_run.empty(), !m_measured.empty()};
  m_ending = written.empty() ? findEnding(waiting.substr(0, waiting.find('\n'))).value_or(own)
                             : findEnding(written).value_or(Ending());
  m_headed = true;
  if (written.empty() && waiting.empty()) m_log.owe(headWith(m_ending) + "\n");
}

Result<void> RunTable::append(const std::string& cells, double seconds,
                              const std::string& measured) {
  if (!m_headed) readHead();
  return m_log.append(cells + (m_ending.ids ? "," + m_run : "") + "," + numberText(seconds) +
                      (m_ending.measured ? "," + measured : ""));
}

void RunTable::keepWhile(const std::function<bool(std::int64_t first)>& keep) {
  bool head = true;
  const Ending ending = findEnding(m_log.head()).value_or(Ending());
  valueOrThrow(m_log.keepWhile([&](const std::string& row) {
    if (std::exchange(head, false)) return findEnding(row).has_value();
    if (ending.ids) requireRun(m_folder, m_log.name(), idInRow(row, ending), m_run);
    const auto first = firstCell(row);
    return first && keep(*first);
  }));
  m_headed = false;
}

}  // namespace headlight
