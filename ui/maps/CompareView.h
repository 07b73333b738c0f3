#pragma once
// Maps beside maps: how alike the layers of one head look (MaiT Eq. 4), and one head's map before
// and after the last edit with their difference.

#include <QWidget>

#include <memory>
#include <optional>
#include <vector>

#include "ui/maps/PictureView.h"
#include "ui/maps/ViewedMap.h"

class QStackedWidget;
class QTabBar;

namespace headlight {

class AnalysisBridge;

/// The L × L picture of the chosen head, or of the mean over heads. Values on hover, and in the
/// cells where they fit. A click chooses the row's layer.
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
  void request();
  std::optional<std::pair<int, int>> cellAt(const QPointF& position) const;

  Document* m_document;
  AnalysisBridge* m_bridge;
  std::optional<std::pair<int, int>> m_hovered;
};

/// The picture with the map of the chosen head and token before or after the last edit, or the
/// signed difference, after − before.
class EditPicture : public PictureView {
  Q_OBJECT
 public:
  EditPicture(Document* document, EditSide side, QWidget* parent);

 protected:
  std::optional<MapLayer> currentMap() const override;
  Legend currentLegend() const override;
  QString hint() const override;
  void paintMarks(QPainter& painter) override;
  void patchPressed(int patch) override;

 private:
  EditSide m_side;
};

class CompareView : public QWidget {
  Q_OBJECT
 public:
  enum class Page { Layers, Edit };
  explicit CompareView(Document* document, QWidget* parent = nullptr);
  Page page() const;
  void setPage(Page page);

 private:
  QTabBar* m_tabs;
  QStackedWidget* m_pages;
};

}  // namespace headlight
