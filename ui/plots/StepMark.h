// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A vertical line through plots at one step: the one that the evolution slider shows, or the
// cursor.

#include <QList>
#include <QPen>

#include <optional>

class QCPAxisRect;
class QCPItemStraightLine;

namespace headlight {

class StepMark {
 public:
  /// The plot of the axis rectangles owns the lines.
  explicit StepMark(const QList<QCPAxisRect*>& rects, const QString& layer = {});
  void setStep(std::optional<double> step);
  std::optional<double> step() const { return m_step; }
  void setPen(const QPen& pen);

 private:
  QList<QCPItemStraightLine*> m_lines;
  std::optional<double> m_step;
};

}  // namespace headlight
