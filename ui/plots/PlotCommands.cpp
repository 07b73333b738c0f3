// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/PlotCommands.h"

#include <QApplication>
#include <QClipboard>
#include <QDir>

#include "ui/base/Actions.h"
#include "ui/document/Folders.h"
#include "ui/plots/PlotExport.h"
#include "ui/plots/Plotting.h"
#include "ui/widgets/Dialogs.h"

namespace headlight {

PlotCommands::PlotCommands(QWidget* scope, bool keys) : QObject(scope), m_scope(scope) {
  const auto add = [&](const char* id, const QString& text, const QString& tip,
                       const QString& shortcut, void (PlotCommands::*run)()) {
    m_commands << makeCommand(
        this, {QLatin1String(id), text, tip, keys ? shortcut : QString(), QString()},
        [this, run] { (this->*run)(); });
  };
  add("train.copyPlot", tr("&Copy plot"),
      tr("Copy the plot used last, or the first one, as an image"), QStringLiteral("Ctrl+Alt+C"),
      &PlotCommands::copy);
  add("train.copyPlotData", tr("Copy plot &numbers"), tr("Copy every value of the plot as CSV"),
      QStringLiteral("Ctrl+Alt+D"), &PlotCommands::copyData);
  add("train.exportPlot", tr("E&xport plot…"),
      tr("Save the plot as PNG, SVG or PDF, or its numbers as CSV"), QStringLiteral("Ctrl+Alt+P"),
      &PlotCommands::exportPlot);
  for (auto* plot : scope->findChildren<QCustomPlot*>()) {
    plot->addActions(m_commands);
    plot->setContextMenuPolicy(Qt::ActionsContextMenu);  // a click gives it the focus first
  }
  connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
    auto* plot = qobject_cast<QCustomPlot*>(now);
    if (plot && m_scope->isAncestorOf(plot)) m_last = plot;
  });
}

QCustomPlot* PlotCommands::plot() const {
  if (m_last && m_last->isVisible()) return m_last;
  for (auto* plot : m_scope->findChildren<QCustomPlot*>())
    if (plot->isVisible()) return plot;
  return nullptr;
}

void PlotCommands::copy() {
  QCustomPlot* chosen = plot();
  if (!chosen) return Q_EMIT reported(tr("No plot is shown"));
  QApplication::clipboard()->setPixmap(
      chosen->toPixmap(chosen->width(), chosen->height(), chosen->devicePixelRatioF()));
  Q_EMIT reported(tr("Copied"));
}

void PlotCommands::copyData() {
  QCustomPlot* chosen = plot();
  if (!chosen) return Q_EMIT reported(tr("No plot is shown"));
  QApplication::clipboard()->setText(plotData(*chosen));
  Q_EMIT reported(tr("Copied"));
}

void PlotCommands::exportPlot() {
  QCustomPlot* chosen = plot();
  if (!chosen) return Q_EMIT reported(tr("No plot is shown"));
  askWhereToSave(m_scope, tr("Export plot"),
                 QDir(figureFolder()).filePath(QStringLiteral("plot.png")),
                 tr("PNG (*.png);;SVG (*.svg);;PDF (*.pdf);;The numbers, CSV (*.csv)"),
                 [this, chosen = QPointer(chosen)](const QString& path) {
                   if (!chosen) return;
                   const auto written = writePlot(*chosen, path);
                   rememberWritten(path);
                   if (written)
                     Q_EMIT reported(tr("Saved %1").arg(QDir::toNativeSeparators(path)));
                   else
                     Q_EMIT failed(tr("The plot was not saved"),
                                   QString::fromStdString(written.error().text()));
                 });
}

}  // namespace headlight
