// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Reading a plot by keys: Left and Right go along it, sample by sample where there are few, Up and
// Down to the plot beside or to the row above and below, + and − zoom, 0 and Home show everything,
// Escape ends the reading.

#include <QList>
#include <QObject>
#include <QPoint>

#include <optional>

#include "ui/plots/PlotReading.h"

class QCustomPlot;
class QKeyEvent;

namespace headlight {

class PlotKeys : public QObject {
  Q_OBJECT
 public:
  /// For axis rectangles of one plot that share the range of their x axes.
  PlotKeys(QCustomPlot* plot, const QList<QCPAxisRect*>& rects, QObject* parent);

  bool claims(const QKeyEvent& event) const;
  /// Handles a key that it claims.
  void press(const QKeyEvent& event);
  /// Forgets what was read last: the next key begins anew.
  void end();

 Q_SIGNALS:
  void read(const headlight::PlotReading& reading, const QPoint& globalPosition);
  void ended();  ///< by Escape
  void everythingWanted();

 private:
  /// The current reading: a sample of the graphs in a rectangle, or a cell of its map.
  struct Place {
    int rect = 0;
    double key = 0;  ///< of a map: the column
    int row = 0;
  };
  void readAlong(int direction);
  void readAcross(int direction);
  void readPlace();
  void bringIntoSight(double key);
  void zoomBy(double factor);

  QCustomPlot* m_plot;
  QList<QCPAxisRect*> m_rects;
  std::optional<Place> m_place;  ///< once keys have read something
};

}  // namespace headlight
