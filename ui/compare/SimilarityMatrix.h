// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Similarity of layers (MaiT Eq. 4).

#include <QWidget>

#include <optional>
#include <utility>

namespace headlight {

class AnalysisBridge;
class Document;

/// The L × L image of the chosen head, or of the mean over heads; of the image shown, or the mean
/// over a dataset if the document says so. Values on hover, and in the cells if they fit. A click
/// chooses the row's layer.
class SimilarityMatrix : public QWidget {
  Q_OBJECT
 public:
  SimilarityMatrix(Document* document, QWidget* parent);
  QRectF cellRect(int row, int column) const;
  /// The text on hover: "layer 2 and layer 5: 0.734". Empty if nothing is shown yet.
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
