// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Mask edits in a plot over steps: a dotted line at each, with what was edited at its upper end.
// Labels that have no room side by side become one: "3 edits". Hovering tells each (PlotReading.h).

#include <QColor>
#include <QFont>
#include <QObject>
#include <QPen>
#include <QStringList>

#include "ui/plots/PlotReading.h"

class QCPItemStraightLine;
class QCPItemText;
class QCustomPlot;
class QPalette;

namespace headlight {

class EditMarks : public QObject {
  Q_OBJECT
 public:
  static constexpr int kMost = 256;  ///< marks kept: the newest

  /// For axis rectangles of one plot, which owns the marks.
  EditMarks(QCustomPlot* plot, const QList<QCPAxisRect*>& rects);

  /// Drawn with the plot's next replot. Keys do not decrease.
  void add(double key, const QString& text);
  void set(const QList<PlotMark>& marks);
  void clear() { set({}); }
  const QList<PlotMark>& marks() const { return m_marks; }
  void setVisible(bool visible);  ///< off: the axis is not one of steps
  void applyTheme(const QPalette& palette, const QFont& font);

  /// The labels in the first rectangle, as drawn last.
  QStringList labels() const;
  int lines() const;  ///< visible in the first rectangle

 private:
  struct Room {
    QCPAxisRect* rect = nullptr;
    QList<QCPItemStraightLine*> lines;
    QList<QCPItemText*> labels;
  };
  void tell();
  void layOut();
  void layOutLines(Room& room);
  void layOutLabels(Room& room);
  void placeLine(Room& room, int index, double key);
  void placeLabel(Room& room, int index, double key, const QString& text, double width);
  double pixelOf(const Room& room, double key) const;

  QCustomPlot* m_plot;
  QList<Room> m_rooms;
  QList<PlotMark> m_marks;
  bool m_visible = true;
  QPen m_pen;
  QFont m_font;
  QColor m_text, m_ground;
};

}  // namespace headlight
