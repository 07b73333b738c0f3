#include "core/training/run/RunTable.h"

#include <utility>

#include "core/base/Text.h"

namespace headlight {
namespace {

/// The last cell but one.
std::string idInRow(const std::string& row) {
  const std::size_t last = row.rfind(',');
  if (last == std::string::npos || last == 0) return "";
  const std::size_t before = row.rfind(',', last - 1);
  return before == std::string::npos ? "" : row.substr(before + 1, last - before - 1);
}

}  // namespace

RunTable::RunTable(const OpenFolder& folder, std::string columns, std::string run)
    : m_folder(folder),
      m_columns(std::move(columns)),
      m_run(std::move(run)),
      m_log(folder, "metrics.csv") {}

std::string RunTable::headWith(bool ids) const {
  return m_columns + (ids ? ",run,seconds" : ",seconds");
}

void RunTable::readHead() {
  const std::string head = m_log.head();
  m_ids = head.empty() ? !m_run.empty() : head == headWith(true);
  m_headed = true;
  if (head.empty() && m_log.unwritten().empty()) m_log.owe(headWith(m_ids) + "\n");
}

Result<void> RunTable::append(const std::string& cells, double seconds) {
  if (!m_headed) readHead();
  return m_log.append(cells + (m_ids ? "," + m_run : "") + "," + numberText(seconds));
}

void RunTable::keepWhile(const std::function<bool(std::int64_t first)>& keep) {
  bool head = true;
  const bool ids = m_log.head() == headWith(true);
  valueOrThrow(m_log.keepWhile([&](const std::string& row) {
    if (std::exchange(head, false)) return row == headWith(true) || row == headWith(false);
    if (ids) requireRun(m_folder, m_log.name(), idInRow(row), m_run);
    const auto first = firstCell(row);
    return first && keep(*first);
  }));
  m_headed = false;
}

}  // namespace headlight
