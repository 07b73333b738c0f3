// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/RunCurvesPlot.h"

#include <QEvent>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/base/SanitizedText.h"
#include "ui/base/TextWrapping.h"
#include "ui/plots/EditMarks.h"
#include "ui/plots/Lines.h"
#include "ui/plots/PlotNavigation.h"
#include "ui/plots/PlotTheme.h"
#include "ui/plots/Plotting.h"

namespace headlight {
namespace {

constexpr int kLeastBeside = 400;  ///< narrower, the legend stands below the curves
constexpr double kWordsMargin = 12;

}  // namespace

RunCurvesPlot::RunCurvesPlot(QWidget* parent) : QWidget(parent), m_plot(new QCustomPlot(this)) {
  setObjectName(QStringLiteral("runCurves"));
  setAccessibleName(tr("Runs side by side"));
  setToolTip(tr(
      "One line per selected run.\nThe wheel zooms, dragging moves, a double click "
      "shows everything. By keys: Left and Right read values, + and − zoom, 0 shows everything."));
  m_plot->setAccessibleName(accessibleName());
  m_plot->setMinimumSize(160, 120);
  m_plot->setAutoAddPlottableToLegend(false);
  QCPAxisRect* rect = m_plot->axisRect();
  rect->setMinimumMargins(QMargins(4, 6, 8, 4));
  rect->axis(QCPAxis::atBottom)->setNumberFormat(QStringLiteral("g"));
  m_legend = addLegendColumn(m_plot);
  m_words = new QCPItemText(m_plot);
  m_words->position->setType(QCPItemPosition::ptViewportRatio);
  m_words->setClipToAxisRect(false);
  m_words->setLayer(QStringLiteral("overlay"));
  m_words->setPadding(QMargins(4, 4, 4, 4));
  m_words->position->setCoords(0.5, 0.45);
  m_words->setTextAlignment(Qt::AlignCenter);
  m_words->setVisible(false);
  m_edits = new EditMarks(m_plot, {rect});
  m_navigation = new PlotNavigation(m_plot, {rect});
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(m_plot);
  applyTheme();
}

void RunCurvesPlot::setLines(const std::vector<NamedCurve>& lines, const QString& quantity,
                             const QString& axis, const QString& note) {
  const bool any = std::any_of(lines.begin(), lines.end(),
                               [](const NamedCurve& line) { return !line.curve.keys.empty(); });
  const QString said = any ? QString() : note;
  if (lines == m_lines && quantity == m_quantity && axis == m_axis && said == m_note) return;
  m_lines = lines;
  m_quantity = quantity;
  m_axis = axis;
  m_note = said;
  draw();
}

void RunCurvesPlot::setWhole(double low, double high) {
  if (m_whole) return;
  m_whole = {low, high};
  const QSharedPointer<QCPAxisTickerFixed> ticker(new QCPAxisTickerFixed);
  ticker->setTickStep(1);
  ticker->setScaleStrategy(QCPAxisTickerFixed::ssMultiples);
  m_plot->xAxis->setTicker(ticker);
}

void RunCurvesPlot::draw() {
  QStringList names;
  for (const NamedCurve& line : m_lines)
    names << QString::fromStdString(line.name);
  makeLines(m_plot, m_legend, names, /*ordered=*/false, palette());
  for (std::size_t i = 0; i < m_lines.size(); ++i) {
    const RunCurve& curve = m_lines[i].curve;
    setLine(m_plot->graph(static_cast<int>(i)),
            QVector<double>(curve.keys.begin(), curve.keys.end()),
            QVector<double>(curve.values.begin(), curve.values.end()));
  }
  fitRanges();
  markEdits();
  placeWords();
  m_plot->yAxis->setLabel(m_quantity);
  m_plot->xAxis->setLabel(m_axis);
  m_plot->replot(QCustomPlot::rpQueuedReplot);
}

/// Of all runs, in the order of the axis; with more than one line a mark names its run.
void RunCurvesPlot::markEdits() {
  QList<PlotMark> marks;
  for (const NamedCurve& line : m_lines)
    for (const RunMark& mark : line.marks) {
      const QString text = displayName(mark.text);
      const QString run = QString::fromStdString(line.name);
      marks.append({mark.key, m_lines.size() > 1 ? run + QStringLiteral(": ") + text : text});
    }
  std::stable_sort(marks.begin(), marks.end(),
                   [](const PlotMark& a, const PlotMark& b) { return a.key < b.key; });
  m_edits->set(marks);
}

void RunCurvesPlot::placeWords() {
  placeLegend(m_plot, m_legend, !m_lines.empty() && width() < kLeastBeside);
  const double room = width() - 2 * kWordsMargin;
  m_words->setText(brokenLines(QFontMetricsF(font()), m_note, room).join(QLatin1Char('\n')));
  m_words->setVisible(!m_note.isEmpty());
}

void RunCurvesPlot::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  placeWords();
  m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void RunCurvesPlot::fitRanges() {
  double low = std::numeric_limits<double>::infinity(), high = -low, last = 0;
  for (const NamedCurve& line : m_lines) {
    for (const double value : line.curve.values)
      low = std::min(low, value), high = std::max(high, value);
    if (!line.curve.keys.empty()) last = std::max(last, line.curve.keys.back());
  }
  if (low > high) low = 0, high = 1;
  const double size = std::max(std::abs(low), std::abs(high)), range = high - low;
  const double margin = std::max(0.05 * (range > 1e-5 * size ? range : size), 1e-6);
  if (m_whole)
    m_plot->yAxis->setRange(m_whole->first - 0.02, m_whole->second + 0.02);
  else
    m_plot->yAxis->setRange(low - margin, high + margin);
  m_navigation->setFullRange(0, last > 0 ? 1.02 * last : 1);
}

void RunCurvesPlot::applyTheme() {
  applyPlotTheme(m_plot, palette(), font());
  m_words->setColor(palette().color(QPalette::WindowText));
  m_words->setFont(font());
  m_words->setBrush(palette().color(QPalette::Base));  // the axes' numbers lie below it
  m_edits->applyTheme(palette(), font());
  m_navigation->applyTheme(palette());
}

void RunCurvesPlot::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() != QEvent::PaletteChange && event->type() != QEvent::FontChange) return;
  applyTheme();
  draw();
}

}  // namespace headlight
