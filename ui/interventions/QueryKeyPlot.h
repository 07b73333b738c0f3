// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The joint map of queries and keys as points, or as the patches that they are of. The wheel and the
// keys + and − zoom, the arrow keys move, a double click or Home shows everything; dragging selects
// the points in a rectangle.

#include <QColor>
#include <QPixmap>
#include <QPoint>
#include <QRectF>
#include <QWidget>

#include <memory>
#include <vector>

#include "core/workbench/pairs/QueryKeyFigure.h"

class QCustomPlot;
class QRubberBand;

namespace headlight {

/// A point as it is drawn.
struct CloudPoint {
  double x = 0, y = 0;
  QColor color;
  bool isKey = false, isSelected = false;
  QPixmap patch;  ///< the view that it is a part of, shared by its image; null: a point
  QRectF part;    ///< of that view, in its pixels
};

class QueryKeyPlot : public QWidget {
  Q_OBJECT
 public:
  explicit QueryKeyPlot(QWidget* parent = nullptr);

  /// Null: nothing is shown.
  void setMap(std::shared_ptr<const QueryKeyMap> map);
  void setColoring(PointColoring coloring);
  void setPatches(bool shown);

  QCustomPlot* plot() const { return m_plot; }
  /// The nearest point within reach of a position of plot(), as QueryKeyMap::points counts; −1: none.
  int pointAt(const QPointF& position) const;
  /// In pixels of plot().
  QPointF placeOf(int point) const;
  void selectIn(const QRect& rectangle);
  const std::vector<int>& selected() const { return m_selected; }
  const std::vector<CloudPoint>& points() const { return m_points; }
  bool isCloser() const { return m_closer; }
  void showEverything();

 Q_SIGNALS:
  void selectionChanged();
  void hovered(int point);  ///< −1: none
  void chosen(int point);   ///< by a click

 protected:
  void changeEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void connectMouse();
  void onPress(const QPoint& position, Qt::MouseButton button);
  void onMove(const QPoint& position, Qt::MouseButtons held);
  void onRelease(const QPoint& position, Qt::MouseButton button);
  void select(std::vector<int> points);
  void colorPoints();
  void makePatches();
  void fitRanges();
  void zoom(double factor);
  void moveBy(double right, double up);
  void applyTheme();
  void replot();

  QCustomPlot* m_plot;
  QRubberBand* m_band;
  std::shared_ptr<const QueryKeyMap> m_map;
  PointColoring m_coloring = PointColoring::Role;
  bool m_patches = false, m_closer = false, m_pressed = false;
  QPoint m_grabbed;
  int m_hovered = -1;
  std::vector<CloudPoint> m_points;
  std::vector<int> m_selected;
};

}  // namespace headlight
