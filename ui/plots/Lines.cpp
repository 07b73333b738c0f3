// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/Lines.h"

#include <algorithm>

#include "ui/base/Colors.h"
#include "ui/plots/PlotTheme.h"
#include "ui/plots/Plotting.h"

namespace headlight {
namespace {

constexpr int kLegendLines = 12;

}  // namespace

QCPLegend* addLegendAbove(QCustomPlot* plot, int column) {
  auto* legend = new QCPLegend;
  auto* row = new QCPLayoutGrid;
  plot->plotLayout()->addElement(0, column, row);
  row->addElement(0, 0, new QCPLayoutElement(plot));  // takes the rest of the width
  row->addElement(0, 1, legend);
  row->setColumnStretchFactor(1, 0.001);
  row->setColumnSpacing(0);
  plot->plotLayout()->setRowStretchFactor(0, 0.001);
  plot->plotLayout()->setRowSpacing(0);
  legend->setLayer(QStringLiteral("legend"));
  legend->setFillOrder(QCPLegend::foColumnsFirst);
  return legend;
}

QCPLegend* addLegendColumn(QCustomPlot* plot) {
  auto* legend = new QCPLegend;
  auto* column = new QCPLayoutGrid;
  plot->plotLayout()->addElement(0, 1, column);
  column->addElement(0, 0, legend);
  column->addElement(1, 0, new QCPLayoutElement(plot));  // takes the rest of the height
  column->setRowStretchFactor(0, 0.001);
  column->setRowSpacing(0);
  plot->plotLayout()->setColumnStretchFactor(1, 0.001);
  plot->plotLayout()->setColumnSpacing(0);
  legend->setLayer(QStringLiteral("legend"));
  legend->setFillOrder(QCPLegend::foRowsFirst);
  legend->setWrap(6);
  return legend;
}

void placeLegend(QCustomPlot* plot, QCPLegend* legend, bool below) {
  QCPLayoutGrid* all = plot->plotLayout();
  auto* column = static_cast<QCPLayoutGrid*>(all->element(0, 1));
  QCPLayoutGrid* wanted = below ? all : column;
  if (legend->layout() == wanted) return;
  legend->layout()->take(legend);
  if (!below) all->simplify();  // no empty row stays
  wanted->addElement(below ? 1 : 0, 0, legend);
  if (below) all->setRowStretchFactor(1, 0.001);
}

void makeLines(QCustomPlot* plot, QCPLegend* legend, const QStringList& names, bool ordered,
               const QPalette& palette) {
  legend->clearItems();
  plot->clearGraphs();
  const int lines = static_cast<int>(names.size());
  const int every = std::max(1, (lines + kLegendLines - 1) / kLegendLines);
  for (int i = 0; i < lines; ++i) {
    QCPGraph* graph = plot->addGraph();
    graph->setName(names[i]);
    const QColor color = ordered || lines > 7
                             ? sequenceColor(lines > 1 ? i / (lines - 1.0) : 0, palette)
                             : seriesColor(i, palette);
    graph->setPen(QPen(color, 1.6));
    if (i % every == 0) graph->addToLegend(legend);
  }
}

void setLine(QCPGraph* line, const QVector<double>& keys, const QVector<double>& values) {
  line->setData(keys, values, true);
  const bool alone = keys.size() == 1;
  line->setScatterStyle(alone ? QCPScatterStyle(QCPScatterStyle::ssDisc, 4) : QCPScatterStyle());
}

}  // namespace headlight
