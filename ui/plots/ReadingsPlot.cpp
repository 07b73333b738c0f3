// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/ReadingsPlot.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/base/CoreText.h"
#include "ui/plots/AlphaLines.h"
#include "ui/plots/EditMarks.h"
#include "ui/plots/Lines.h"
#include "ui/plots/PlotNavigation.h"
#include "ui/plots/PlotTheme.h"
#include "ui/plots/Plotting.h"

namespace headlight {
namespace {

/// "layers 0–3, 6".
QString layersText(const std::vector<int>& layers) {
  QStringList runs;
  for (std::size_t first = 0, last = 0; first < layers.size(); first = ++last) {
    while (last + 1 < layers.size() && layers[last + 1] == layers[last] + 1)
      ++last;
    runs << (last == first ? QString::number(layers[first])
                           : QStringLiteral("%1–%2").arg(layers[first]).arg(layers[last]));
  }
  return (layers.size() == 1 ? ReadingsPlot::tr("layer %1") : ReadingsPlot::tr("layers %1"))
      .arg(runs.join(QStringLiteral(", ")));
}

}  // namespace

ReadingsPlot::ReadingsPlot(const HeadHistory* history, QWidget* parent)
    : QWidget(parent),
      m_history(history),
      m_tracks(history),
      m_title(new QLabel(this)),
      m_choice(new QComboBox(this)),
      m_plot(new QCustomPlot(this)) {
  setObjectName(QStringLiteral("readingsPlot"));
  setAccessibleName(tr("Readings of the mechanism by layer over steps"));
  m_title->setObjectName(QStringLiteral("readingsTitle"));
  m_title->setTextFormat(Qt::PlainText);
  m_title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  m_choice->setObjectName(QStringLiteral("readingsChoice"));
  m_choice->setAccessibleName(tr("Reading that is drawn"));
  m_choice->setToolTip(tr("Readings of the mechanism, or the fit of its masks"));
  // Its texts are long: it takes what width there is.
  m_choice->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  m_choice->setMinimumContentsLength(8);
  m_choice->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  m_choice->hide();  // until there is something to choose
  m_title->hide();
  auto* header = new QHBoxLayout;
  header->setContentsMargins(4, 0, 4, 0);
  header->addWidget(m_title, 1);
  header->addWidget(m_choice, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(2);
  layout->addLayout(header);
  layout->addWidget(m_plot, 1);
  m_plot->setMinimumSize(180, 90);
  build();
  applyTheme();
  fillChoice();
  connect(m_choice, &QComboBox::currentIndexChanged, this, &ReadingsPlot::choose);
}

void ReadingsPlot::build() {
  m_plot->setAutoAddPlottableToLegend(false);
  m_plot->xAxis->ticker()->setTickCount(4);
  m_plot->xAxis->setNumberFormat(QStringLiteral("g"));
  m_plot->axisRect()->setMinimumMargins(QMargins(4, 6, 4, 4));
  m_legend = addLegendColumn(m_plot);
  m_mark.emplace(QList<QCPAxisRect*>{m_plot->axisRect()});
  m_edits = new EditMarks(m_plot, {m_plot->axisRect()});
  m_navigation = new PlotNavigation(m_plot, {m_plot->axisRect()});
  setLogarithmic(false);
}

void ReadingsPlot::applyTheme() {
  applyPlotTheme(m_plot, palette(), font());
  m_mark->setPen(QPen(palette().color(QPalette::Highlight), 2));
  m_navigation->applyTheme(palette());
  m_edits->applyTheme(palette(), font());
  m_names.clear();  // the lines are made again, in the new colors
  m_fitsDrawn = false;
}

void ReadingsPlot::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() != QEvent::PaletteChange && event->type() != QEvent::FontChange) return;
  applyTheme();
  replot();
}

void ReadingsPlot::setLogarithmic(bool on) {
  QCPAxis* axis = m_plot->yAxis;
  axis->setScaleType(on ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
  axis->setTicker(on ? QSharedPointer<QCPAxisTicker>(new QCPAxisTickerLog)
                     : QSharedPointer<QCPAxisTicker>::create());
  axis->ticker()->setTickCount(on ? 4 : 3);
  axis->setNumberFormat(on ? QStringLiteral("eb") : QStringLiteral("gb"));
  axis->setNumberPrecision(on ? 0 : 3);
}

// --- Data --------------------------------------------------------------------------------------

void ReadingsPlot::clear() {
  m_edits->clear();
  m_fits.clear();
  m_fitsDrawn = false;
  m_shownStep.reset();
  m_navigation->showEverything();
  replot();
}

void ReadingsPlot::setMaskFits(std::vector<MaskFit> fits) {
  m_fits = std::move(fits);
  m_fitsDrawn = false;
}

void ReadingsPlot::setShownStep(std::optional<std::int64_t> step) {
  m_shownStep = step;
  showMark();
  m_plot->replot(QCustomPlot::rpQueuedReplot);
}

bool ReadingsPlot::isEmpty() {
  m_tracks.take();
  return choices().empty();
}

/// In the order in which mechanisms name them, then α, the fits last.
std::vector<ReadingChoice> ReadingsPlot::choices() const {
  std::vector<ReadingChoice> result;
  for (const std::string& reading : m_tracks.readings())
    result.push_back({ReadingChoice::Kind::Reading, reading});
  const std::vector<int> soft = softLayers(*m_history);
  if (!soft.empty()) result.push_back({ReadingChoice::Kind::Alpha});
  for (const int layer : soft)
    result.push_back({ReadingChoice::Kind::Alpha, {}, layer});
  if (!m_fits.empty()) result.push_back({ReadingChoice::Kind::Fits});
  return result;
}

void ReadingsPlot::fillChoice() {
  const std::vector<ReadingChoice> now = choices();
  if (now == m_choices && m_choice->count() == static_cast<int>(now.size())) return;
  std::optional<ReadingChoice> before;
  if (const ReadingChoice* shown = chosen(); shown && m_picked) before = *shown;
  m_choices = now;
  const QSignalBlocker blocker(m_choice);
  m_choice->clear();
  for (const ReadingChoice& choice : now)
    m_choice->addItem(readingChoiceText(choice));
  const auto found = before ? std::find(now.begin(), now.end(), *before) : now.end();
  m_picked = found != now.end();
  m_choice->setCurrentIndex(m_picked      ? static_cast<int>(found - now.begin())
                            : now.empty() ? -1
                                          : 0);
  m_choice->setVisible(now.size() > 1);
  m_title->setVisible(now.size() == 1);
  m_title->setText(m_choice->currentText());
  m_title->setToolTip(m_title->text());
  m_names.clear();
  m_fitsDrawn = false;
}

void ReadingsPlot::choose(int) {
  m_picked = true;
  m_names.clear();
  m_fitsDrawn = false;
  m_navigation->showEverything();
  replot();
}

const ReadingChoice* ReadingsPlot::chosen() const {
  const int index = m_choice->currentIndex();
  return index < 0 || index >= static_cast<int>(m_choices.size()) ? nullptr : &m_choices[index];
}

std::vector<ReadingLine> ReadingsPlot::fitLines() const {
  std::vector<ReadingLine> lines;
  for (const MaskFit& fit : m_fits) {
    ReadingLine line{
        m_fits.size() == 1 ? tr("mean squared error") : layersText(fit.layers), {}, {}};
    for (std::size_t step = 0; step < fit.errors.size(); ++step) {
      if (!(fit.errors[step] > 0)) continue;  // has no place on a logarithmic axis
      line.keys.append(static_cast<double>(step));
      line.values.append(fit.errors[step]);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

// --- Drawing -----------------------------------------------------------------------------------

void ReadingsPlot::showMark() {
  const ReadingChoice* shown = chosen();
  const bool ofTheRun = shown && shown->kind != ReadingChoice::Kind::Fits;
  m_mark->setStep(ofTheRun && m_shownStep ? std::optional(static_cast<double>(*m_shownStep))
                                          : std::nullopt);
  m_edits->setVisible(ofTheRun);
}

void ReadingsPlot::draw(const std::vector<ReadingLine>& lines) {
  QStringList names;
  double last = 1;
  for (const ReadingLine& line : lines) {
    names << line.name;
    if (!line.keys.isEmpty()) last = std::max(last, line.keys.last());
  }
  if (names != m_names || m_plot->graphCount() != static_cast<int>(lines.size())) {
    makeLines(m_plot, m_legend, names, /*ordered=*/true, palette());
    applyPlotTheme(m_plot, palette(), font());
    m_names = names;
  }
  for (std::size_t i = 0; i < lines.size(); ++i)
    setLine(m_plot->graph(static_cast<int>(i)), lines[i].keys, lines[i].values);
  m_legend->setVisible(lines.size() > 1);
  m_navigation->setFullRange(0, 1.02 * last);
}

/// The lowest and the highest value; `none` where there is no value.
std::pair<double, double> ReadingsPlot::findExtent(const std::vector<ReadingLine>& lines,
                                                   std::pair<double, double> none) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const ReadingLine& line : lines)
    for (const double value : line.values) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  return low > high ? none : std::pair(low, high);
}

void ReadingsPlot::drawReading(const std::string& reading) {
  const auto images = m_history->isEmpty() ? 0 : m_history->newest().images;
  const QString name = coreText(reading);
  const QString mean = images == 1 ? tr("of 1 image") : tr("mean of %1 images").arg(images);
  drawOverSteps(m_tracks.linesOf(reading), images > 0 ? name + QLatin1Char('\n') + mean : name);
}

/// A parameter: no image changes it.
void ReadingsPlot::drawAlpha(int layer) {
  drawOverSteps(alphaLines(*m_history, layer), tr("α"));
}

void ReadingsPlot::drawOverSteps(const std::vector<ReadingLine>& lines, const QString& quantity) {
  const auto [low, high] = findExtent(lines, {0, 1});
  const double margin = std::max(0.05 * (high - low), 1e-6 + 0.02 * std::abs(high));
  setLogarithmic(false);
  m_plot->yAxis->setRange(low >= 0 ? std::max(0.0, low - margin) : low - margin, high + margin);
  m_plot->xAxis->setLabel(tr("step"));
  m_plot->yAxis->setLabel(quantity);
  draw(lines);
}

/// Over whole decades, so that there are ticks.
void ReadingsPlot::drawFits() {
  if (m_fitsDrawn) return;
  const std::vector<ReadingLine> lines = fitLines();
  const auto [low, high] = findExtent(lines, {0.1, 1});
  const double bottom = std::floor(std::log10(low)),
               top = std::max(std::ceil(std::log10(high)), bottom + 1);
  setLogarithmic(true);
  m_plot->yAxis->setRange(std::pow(10, bottom), std::pow(10, top));
  m_plot->xAxis->setLabel(tr("step of Algorithm 1"));
  m_plot->yAxis->setLabel(tr("error of ABᵀ"));
  draw(lines);
  m_fitsDrawn = true;
}

void ReadingsPlot::replot() {
  m_tracks.take();
  fillChoice();
  const ReadingChoice* shown = chosen();
  if (!shown)
    draw({});
  else if (shown->kind == ReadingChoice::Kind::Fits)
    drawFits();
  else if (shown->kind == ReadingChoice::Kind::Alpha)
    drawAlpha(shown->layer);
  else
    drawReading(shown->reading);
  const QString what = m_choice->currentText();
  m_plot->setAccessibleName(what.isEmpty() ? accessibleName() : what);
  m_plot->setToolTip(
      (shown ? readingChoiceTip(*shown) : QString()) +
      tr("\nThe wheel zooms, dragging moves, a double click shows everything. By keys: Left and "
         "Right read values, + and − zoom, 0 shows everything."));
  showMark();
  m_plot->replot(QCustomPlot::rpQueuedReplot);
}

}  // namespace headlight
