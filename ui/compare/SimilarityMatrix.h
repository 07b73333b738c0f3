// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How alike the layers of one head look (MaiT Eq. 4).

#include <QWidget>

#include <optional>
#include <utility>

namespace headlight {

class AnalysisBridge;
class Document;

/// The L × L picture of the chosen head, or of the mean over heads; of the picture that is shown,
/// or where the document says so the mean over a data set. Values on hover, and in the cells where
/// they fit. A click chooses the row's layer.
class SimilarityMatrix : public QWidget {
  Q_OBJECT
 public:
  SimilarityMatrix(Document* document, QWidget* parent);
  QRectF cellRect(int row, int column) const;
  /// What hovering a cell says: "layer 2 and layer 5: 0.734". Empty where nothing is shown yet.
  QString describePair(int row, int column) const;
  QSize sizeHint() const override { return {460, 420}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  struct Shown;
  void request();
  std::optional<Shown> shown() const;
  QString emptyText() const;
  std::optional<std::pair<int, int>> cellAt(const QPointF& position) const;

  Document* m_document;
  AnalysisBridge* m_bridge;
  std::optional<std::pair<int, int>> m_hovered;
};

}  // namespace headlight
