// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Mouse and keys of every plot: hovering shows the values at the cursor, the wheel zooms the x
// axis, dragging moves along it, a double click shows everything again. Keys: PlotKeys.h.

#include <QObject>
#include <QPointF>
#include <QString>

#include "ui/plots/PlotReading.h"
#include "ui/plots/StepMark.h"

class QCustomPlot;
class QCPItemRect;
class QCPRange;

namespace headlight {

class PlotKeys;

class PlotNavigation : public QObject {
  Q_OBJECT
 public:
  /// For axis rectangles of one plot that share the range of their x axes. The plot owns it.
  PlotNavigation(QCustomPlot* plot, const QList<QCPAxisRect*>& rects);

  /// All that there is along x: shown, unless the person looks closer.
  void setFullRange(double lower, double upper);
  bool isCloser() const { return m_closer; }
  void showEverything();

  /// The text for hovering, one line per value; empty where there is nothing. `position` is in the
  /// plot's pixels.
  QString textAt(const QPointF& position) const;
  void applyTheme(const QPalette& palette);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  PlotReading readingAt(const QPointF& position) const;
  void onMouseMove(const QPointF& position, const QPoint& globalPosition);
  void say(const PlotReading& reading, const QPoint& globalPosition);
  void onRangeChanged(const QCPRange& range);
  void setRanges(double lower, double upper);
  void hideReading();
  void setFocused(bool focused);

  QCustomPlot* m_plot;
  QList<QCPAxisRect*> m_rects;
  StepMark m_cursor;
  QCPItemRect* m_focus;  ///< around the plot that has the focus
  PlotKeys* m_keys;
  double m_lower = 0, m_upper = 1;  ///< everything
  bool m_closer = false, m_setting = false;
  bool m_saying = false;  ///< the tooltip is up
};

}  // namespace headlight
