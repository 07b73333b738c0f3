// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What every plot understands: hovering says the values at the cursor, the wheel zooms the x axis,
// dragging moves along it, a double click shows everything again. By keys: Left and Right read the
// values there, sample by sample where there are few, Up and Down go to the plot beside or to the
// row above and below, + and − zoom, 0 and Home show everything, Escape ends the reading.

#include <QColor>
#include <QObject>
#include <QPointF>
#include <QString>

#include <optional>
#include <vector>

#include "ui/plots/StepMark.h"

class QCustomPlot;
class QCPAxis;
class QCPAxisRect;
class QCPColorMap;
class QCPGraph;
class QCPItemRect;
class QCPRange;
class QKeyEvent;

namespace headlight {

class PlotNavigation : public QObject {
  Q_OBJECT
 public:
  /// Of axis rectangles of one plot that share the range of their x axes. The plot owns it.
  PlotNavigation(QCustomPlot* plot, const QList<QCPAxisRect*>& rects);

  /// All that there is along x: shown, unless the person looks closer.
  void setFullRange(double lower, double upper);
  bool isCloser() const { return m_closer; }
  void showEverything();

  /// What hovering there says, a line a value; empty where there is nothing. `position` is in the
  /// plot's pixels.
  QString textAt(const QPointF& position) const;
  /// Such a graph is drawn but not spoken of.
  static void leaveOut(QCPGraph* graph);
  static bool isLeftOut(const QCPGraph* graph);
  void applyTheme(const QPalette& palette);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  struct Line {
    QColor color;  ///< invalid: a heading
    QString text;
  };
  struct Reading {
    double key = 0;
    bool marked = false;  ///< `key` is worth a line in the plot
    std::vector<Line> lines;
  };
  /// What keys read: a sample of the graphs in a rectangle, or a cell of its map.
  struct Place {
    int rect = 0;
    double key = 0;  ///< of a map: the column
    int row = 0;
  };
  Reading readingAt(const QPointF& position) const;
  static std::vector<const QCPGraph*> spokenGraphs(QCPAxisRect* rect);
  static Reading readGraphs(QCPAxisRect* rect, double key);
  static Reading readCell(QCPAxisRect* rect, QCPColorMap* map, int column, int row);
  static QCPColorMap* mapOf(QCPAxisRect* rect);  ///< null: graphs
  static QString textOf(const Reading& reading);
  void onMouseMove(const QPointF& position, const QPoint& globalPosition);
  void say(const Reading& reading, const QPoint& globalPosition);
  void onRangeChanged(const QCPRange& range);
  void setRanges(double lower, double upper);
  void hideReading();

  bool claimsKey(const QKeyEvent& event) const;
  void handleKey(const QKeyEvent& event);
  void readAlong(int direction);
  void readAcross(int direction);
  void readPlace();
  void bringIntoSight(double key);
  void zoomBy(double factor);
  void setFocused(bool focused);

  QCustomPlot* m_plot;
  QList<QCPAxisRect*> m_rects;
  StepMark m_cursor;
  QCPItemRect* m_focus;             ///< around the plot that has the focus
  std::optional<Place> m_place;     ///< once keys have read something
  double m_lower = 0, m_upper = 1;  ///< everything
  bool m_closer = false, m_setting = false;
  bool m_saying = false;  ///< the tooltip is up
};

}  // namespace headlight
