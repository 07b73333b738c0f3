// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Confusion matrix: rows are true classes, columns are predicted classes.

#include <QWidget>

#include <optional>
#include <utility>

#include "core/workbench/evaluation/ClassReport.h"

namespace headlight {

/// Colored by the share of the row's images. Hovering a cell shows its text.
class ConfusionView : public QWidget {
  Q_OBJECT
 public:
  explicit ConfusionView(QWidget* parent = nullptr);

  void setReport(const ClassReport& report, const SchemeResult& result);
  /// "cat: 12 of 100 images are predicted as dog"; empty if there is no such cell.
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
  std::int64_t imagesOf(int row) const;
  double labelWidth() const;
  QRectF area() const;
  void paintLabels(QPainter& painter) const;

  ClassReport m_report;
  QStringList m_names;
};

}  // namespace headlight
