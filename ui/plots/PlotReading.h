// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The values of a plot at a place: the values of its graphs at a key, or of a cell of its color
// map.

#include <QColor>
#include <QList>
#include <QString>

#include <vector>

class QCPAxisRect;
class QCPColorMap;
class QCPGraph;

namespace headlight {

/// A place on the x axis that is worth a word: a mask edit at its step.
struct PlotMark {
  double key = 0;
  QString text;
  bool operator==(const PlotMark&) const = default;
};

struct PlotReading {
  struct Line {
    QColor color;  ///< invalid: a heading
    QString text;
  };
  double key = 0;
  bool marked = false;  ///< `key` is worth a line in the plot
  std::vector<Line> lines;
};

/// Such a graph is drawn but has no part in readings and exported numbers.
void leaveOut(QCPGraph* graph);
bool isLeftOut(const QCPGraph* graph);
/// Readings near such a mark tell it too.
void setPlotMarks(QCPAxisRect* rect, const QList<PlotMark>& marks);
/// The visible graphs that are not left out.
std::vector<const QCPGraph*> spokenGraphs(QCPAxisRect* rect);
/// The samples nearest to `key`.
PlotReading readGraphs(QCPAxisRect* rect, double key);
/// Nothing beside the map, or where it has no finite value.
PlotReading readCell(QCPAxisRect* rect, QCPColorMap* map, int column, int row);
QCPColorMap* findColorMap(QCPAxisRect* rect);  ///< null: it has graphs
/// A line a value.
QString readingText(const PlotReading& reading);

}  // namespace headlight
