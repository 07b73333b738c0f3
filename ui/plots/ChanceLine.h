// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The chance level, as a dashed line across a plot with its value beside it.

#include <QString>

#include <optional>

class QCPAxisRect;
class QCPItemStraightLine;
class QCPItemText;
class QFont;
class QPalette;

namespace headlight {

class ChanceLine {
 public:
  /// The plot of the axis rectangle owns the line.
  explicit ChanceLine(QCPAxisRect* rect);

  /// `text` says what it is of: "uniform attention". Nothing: no line.
  void set(std::optional<double> value, const QString& text);
  std::optional<double> value() const { return m_value; }
  void applyTheme(const QPalette& palette, const QFont& font);

 private:
  QCPItemStraightLine* m_line;
  QCPItemText* m_label;
  std::optional<double> m_value;
};

}  // namespace headlight
