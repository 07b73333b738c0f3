// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The five best classes with their probabilities, and their change by the last mask edit.

#include <QWidget>

#include <vector>

#include "core/workbench/session/Prediction.h"
#include "ui/document/Document.h"

namespace headlight {

class PredictionPanel : public QWidget {
  Q_OBJECT
 public:
  /// `left`: the document to compare with, instead of the document's reference.
  explicit PredictionPanel(Document* document, QWidget* parent = nullptr,
                           const Document* left = nullptr);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;
  const std::vector<PredictionRow>& rows() const { return m_rows; }
  /// A warning about the classes; empty: none.
  const QString& note() const { return m_note; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  /// Makes the class of this line the one to explain.
  void mousePressEvent(QMouseEvent* event) override;

 private:
  void refresh();
  QString tipText() const;
  void paintNote(QPainter& painter, QRectF row, double line) const;
  std::shared_ptr<const InferenceResult> lookBefore() const;
  /// Whether the left side's probabilities are omitted, because its own panel shows them and space
  /// is short.
  bool isBrief(double width) const;
  double numbersWidth(double width) const;
  struct Columns {
    double rank, name, bar;  ///< widths
  };
  Columns columns(double width) const;
  QColor withAlpha(float alpha) const;
  void paintRow(QPainter& painter, const QRectF& area, const PredictionRow& row,
                const Columns& wide);
  void paintBar(QPainter& painter, const QRectF& bar, const PredictionRow& row);
  void paintNumbers(QPainter& painter, const QRectF& area, const PredictionRow& row,
                    double rowWidth);

  Document* m_document;
  const Document* m_left;
  std::vector<PredictionRow> m_rows;
  std::vector<QRectF> m_places;  ///< rows as last painted
  QString m_note;
  bool m_compared = false;
};

}  // namespace headlight
