// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Every head of every layer at once, as the chosen token looks: a row a layer, a column a head, the
// mean of heads first.

#include <QAbstractScrollArea>
#include <QHash>
#include <QImage>
#include <QWidget>

#include <optional>

#include "ui/canvas/ImagePainting.h"
#include "ui/document/Document.h"
#include "ui/heads/HeadsLayout.h"

class QStackedLayout;

namespace headlight {

class EnlargedHead;
class LegendBar;

/// Paints and colours only tiles in sight. A click or the arrows choose (layer, head); a double
/// click, or Enter, asks to enlarge it.
class HeadsArea : public QAbstractScrollArea {
  Q_OBJECT
 public:
  explicit HeadsArea(Document* document, QWidget* parent);

  /// The map part of a tile in viewport coordinates; head −1 is the mean. May lie out of sight.
  QRectF tileRect(int layer, int head) const;
  /// (layer, head) under a viewport point.
  std::optional<std::pair<int, int>> cellAt(const QPointF& position) const;
  /// Thumbnails coloured since the last change of what they show.
  int cachedTiles() const { return static_cast<int>(m_tiles.size()); }

 Q_SIGNALS:
  void enlarged();  ///< the chosen head is to be shown alone

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool viewportEvent(QEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  QPoint scroll() const;
  void layOut();
  void forgetTiles();
  void updateLast();
  void viewChanged();
  void choose(int layer, int head);
  void reveal(int layer, int head);
  const QImage& tile(int layer, int head);
  const QImage& ground(const QSize& size);
  void paintTile(QPainter& painter, int layer, int head);
  QString describeTile(int layer, int head) const;

  Document* m_document;
  QHash<std::pair<int, int>, QImage> m_tiles;
  double m_tileRatio = 0;  ///< the screen's, that the tiles were made for
  QImage m_ground;         ///< of ground()
  std::optional<DrawnMap> m_shared;
  HeadsLayout m_layout;
  ViewOptions m_seen;  ///< what the tiles show
  std::shared_ptr<const InferenceResult> m_look;
};

class HeadsGrid : public QWidget {
  Q_OBJECT
 public:
  explicit HeadsGrid(Document* document, QWidget* parent = nullptr);
  HeadsArea* area() const { return m_area; }

  /// Shows the chosen head alone, in the place of all.
  void enlarge();
  void showAll();
  bool isEnlarged() const;

 private:
  Document* m_document;
  QStackedLayout* m_pages;
  HeadsArea* m_area;
  EnlargedHead* m_enlarged = nullptr;  ///< made when it is first wanted
  LegendBar* m_legend;
};

}  // namespace headlight
