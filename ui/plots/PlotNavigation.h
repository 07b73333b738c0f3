#pragma once
// What every plot understands: hovering says the values at the cursor, the wheel zooms the x axis,
// dragging moves along it, a double click shows everything again.

#include <QColor>
#include <QObject>
#include <QPointF>
#include <QString>

#include <vector>

#include "ui/plots/StepMark.h"

class QCustomPlot;
class QCPAxis;
class QCPAxisRect;
class QCPColorMap;
class QCPGraph;
class QCPRange;

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
  Reading readingAt(const QPointF& position) const;
  static Reading readGraphs(QCPAxisRect* rect, double key);
  static Reading readMap(QCPAxisRect* rect, QCPColorMap* map, const QPointF& position);
  void onMouseMove(const QPointF& position, const QPoint& globalPosition);
  void onRangeChanged(const QCPRange& range);
  void setRanges(double lower, double upper);
  void hideReading();

  QCustomPlot* m_plot;
  QList<QCPAxisRect*> m_rects;
  StepMark m_cursor;
  double m_lower = 0, m_upper = 1;  ///< everything
  bool m_closer = false, m_setting = false;
  bool m_saying = false;  ///< the tooltip is up
};

}  // namespace headlight
