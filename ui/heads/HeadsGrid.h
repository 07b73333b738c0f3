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
class HeadsInput;
class LegendBar;

/// Paints and colors only tiles in sight. Mouse and keys: HeadsInput.h.
class HeadsArea : public QAbstractScrollArea {
  Q_OBJECT
 public:
  explicit HeadsArea(Document* document, QWidget* parent);

  /// The map part of a tile in viewport coordinates; head −1 is the mean. May lie out of sight.
  QRectF tileRect(int layer, int head) const;
  /// (layer, head) under a viewport point.
  std::optional<std::pair<int, int>> cellAt(const QPointF& position) const;
  const HeadsLayout& tileLayout() const { return m_layout; }
  QString describeTile(int layer, int head) const;
  /// Thumbnails colored since the last change of what they show.
  int cachedTiles() const { return static_cast<int>(m_tiles.size()); }

 Q_SIGNALS:
  void enlarged();  ///< the chosen head is to be shown alone
  void laidOut();   ///< tiles have other places, perhaps with or without captions

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
  void reveal(int layer, int head);
  void revealChosen();
  struct ColoredTile {
    QImage image;
    bool uniform = false;
  };
  const ColoredTile& tile(int layer, int head);
  const QImage& ground(const QSize& size);
  void paintTile(QPainter& painter, int layer, int head);
  void paintChosen(QPainter& painter);

  Document* m_document;
  HeadsInput* m_input;
  QHash<std::pair<int, int>, ColoredTile> m_tiles;
  double m_tileRatio = 0;  ///< the screen's, that the tiles were made for
  QImage m_ground;         ///< of ground()
  std::optional<DrawnMap> m_shared;
  HeadsLayout m_layout;
  ViewOptions m_seen;  ///< what the tiles show
  std::shared_ptr<const InferenceResult> m_inference;
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
