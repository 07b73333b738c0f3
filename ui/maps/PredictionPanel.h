#pragma once
// The five best classes with their probabilities, and what the last mask edit did to them.

#include <QWidget>

#include <vector>

#include "ui/document/Document.h"

namespace headlight {

/// One line of the panel. Ranks count from 1.
struct PredictionRow {
  QString name;
  int rank = 0;
  double probability = 0;
  int rankBefore = 0;  ///< 0: there was no edit
  double probabilityBefore = 0;
};
/// The best classes of `after`; where there is a `before`, its best class is added if it fell out.
std::vector<PredictionRow> predictionRows(const Look& after, const Look* before, int rows = 5);

class PredictionPanel : public QWidget {
  Q_OBJECT
 public:
  explicit PredictionPanel(Document* document, QWidget* parent = nullptr);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;
  const std::vector<PredictionRow>& rows() const { return m_rows; }
  /// Why the classes may mean little; empty: nothing is known against them.
  const QString& note() const { return m_note; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void refresh();
  void paintRow(QPainter& painter, const QRectF& area, const PredictionRow& row);

  Document* m_document;
  std::vector<PredictionRow> m_rows;
  QString m_note;
  bool m_compared = false;
};

}  // namespace headlight
