// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The five best classes with their probabilities, and what the last mask edit did to them.

#include <QWidget>

#include <vector>

#include "core/workbench/session/Prediction.h"
#include "ui/document/Document.h"

namespace headlight {

class PredictionPanel : public QWidget {
  Q_OBJECT
 public:
  /// `left`: what the classes are compared with, instead of the document's reference.
  explicit PredictionPanel(Document* document, QWidget* parent = nullptr,
                           const Document* left = nullptr);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;
  const std::vector<PredictionRow>& rows() const { return m_rows; }
  /// Why the classes may mean little; empty: nothing is known against them.
  const QString& note() const { return m_note; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  /// The other ways of looking ask about the class of that line.
  void mousePressEvent(QMouseEvent* event) override;

 private:
  void refresh();
  std::shared_ptr<const InferenceResult> lookBefore() const;
  /// Beside the left side's own panel its probabilities need not stand again where room is short.
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
  std::vector<QRectF> m_places;  ///< of the rows, as painted last
  QString m_note;
  bool m_compared = false;
};

}  // namespace headlight
