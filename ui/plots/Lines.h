// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Plots of many lines, one a layer or one a head, and legends outside the curves.

#include <QStringList>
#include <QVector>

class QCPGraph;
class QCPLegend;
class QCustomPlot;
class QPalette;

namespace headlight {

/// A legend in one line above the plot's column, whose row 0 is for it.
QCPLegend* addLegendAbove(QCustomPlot* plot, int column);
/// A legend at the top of a column of its own, right of the plot.
QCPLegend* addLegendColumn(QCustomPlot* plot);
/// That legend below the plot, where a column would leave the curves no room, or there again.
void placeLegend(QCustomPlot* plot, QCPLegend* legend, bool below);
/// Replaces the plot's graphs by empty ones of these names. `ordered`: their colors follow one
/// another, as layers do; those of more than seven always do. Of many lines the legend names every
/// second, third, …
void makeLines(QCustomPlot* plot, QCPLegend* legend, const QStringList& names, bool ordered,
               const QPalette& palette);
/// Keys must not decrease. A line of one point is drawn as a dot.
void setLine(QCPGraph* line, const QVector<double>& keys, const QVector<double>& values);

}  // namespace headlight
