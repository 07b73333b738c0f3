// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

#include <cstdint>
#include <string>
#include <vector>

class QDialog;
class QWidget;

namespace headlight {

/// The warnings of a run: the first thousand, and how many more there were.
class WarningLog {
 public:
  static constexpr int kKept = 1000;

  void clear();
  void add(const std::vector<std::string>& warnings);
  std::int64_t count() const { return m_kept.size() + m_dropped; }
  const QStringList& kept() const { return m_kept; }
  /// A dialog that lists them; the caller shows it.
  QDialog* makeDialog(QWidget* parent) const;

 private:
  QStringList m_kept;
  std::int64_t m_dropped = 0;
};

}  // namespace headlight
