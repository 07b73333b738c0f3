// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which classes are taken for which: a row a class of pictures, a column a class of predictions.

#include <QWidget>

#include <optional>
#include <utility>

#include "core/workbench/evaluation/ClassReport.h"

namespace headlight {

/// Coloured by the share of the row's pictures. Hovering a cell says it in words.
class ConfusionView : public QWidget {
  Q_OBJECT
 public:
  explicit ConfusionView(QWidget* parent = nullptr);

  void setReport(const ClassReport& report, const SchemeResult& result);
  /// "cat: 12 of 100 pictures are taken for dog"; empty where there is no such cell.
  QString describeCell(int row, int column) const;
  QRectF cellRect(int row, int column) const;
  QSize sizeHint() const override { return {520, 420}; }
  QSize minimumSizeHint() const override { return {220, 180}; }

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  std::optional<std::pair<int, int>> cellAt(const QPointF& position) const;
  int classes() const { return static_cast<int>(m_report.confused.size()); }
  std::int64_t picturesOf(int row) const;
  double labelWidth() const;
  QRectF area() const;
  void paintLabels(QPainter& painter) const;

  ClassReport m_report;
  QStringList m_names;
};

}  // namespace headlight
