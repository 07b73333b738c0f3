// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/PlotNavigation.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QToolTip>

#include <algorithm>
#include <optional>
#include <utility>

#include "ui/plots/PlotKeys.h"
#include "ui/plots/Plotting.h"

namespace headlight {
namespace {

constexpr double kClosest = 1;  ///< steps, or heads: nothing lies between two of them

}  // namespace

PlotNavigation::PlotNavigation(QCustomPlot* plot, const QList<QCPAxisRect*>& rects)
    : QObject(plot),
      m_plot(plot),
      m_rects(rects),
      m_cursor(rects, QStringLiteral("overlay")),
      m_focus(new QCPItemRect(plot)),
      m_keys(new PlotKeys(plot, rects, this)) {
  m_focus->setLayer(QStringLiteral("overlay"));
  m_focus->setClipToAxisRect(false);
  for (QCPItemPosition* corner : {m_focus->topLeft, m_focus->bottomRight})
    corner->setType(QCPItemPosition::ptViewportRatio);
  m_focus->bottomRight->setCoords(1, 1);
  m_focus->setVisible(false);
  plot->setFocusPolicy(Qt::StrongFocus);
  plot->setInteraction(QCP::iRangeDrag);
  plot->setInteraction(QCP::iRangeZoom);
  for (QCPAxisRect* rect : rects) {
    rect->setRangeDrag(Qt::Horizontal);
    rect->setRangeZoom(Qt::Horizontal);
    connect(rect->axis(QCPAxis::atBottom), qOverload<const QCPRange&>(&QCPAxis::rangeChanged), this,
            &PlotNavigation::onRangeChanged);
  }
  connect(plot, &QCustomPlot::mouseDoubleClick, this, &PlotNavigation::showEverything);
  connect(plot, &QCustomPlot::mouseMove, this, [this](QMouseEvent* event) {
    if (event->buttons() == Qt::NoButton)
      onMouseMove(event->position(), event->globalPosition().toPoint());
    else
      hideReading();
  });
  connect(m_keys, &PlotKeys::read, this, &PlotNavigation::say);
  connect(m_keys, &PlotKeys::ended, this, &PlotNavigation::hideReading);
  connect(m_keys, &PlotKeys::everythingWanted, this, &PlotNavigation::showEverything);
  plot->setMouseTracking(true);
  plot->installEventFilter(this);
}

// --- Along the x axis --------------------------------------------------------------------------

void PlotNavigation::setFullRange(double lower, double upper) {
  m_lower = lower;
  m_upper = upper;
  if (!m_closer) setRanges(lower, upper);
}

void PlotNavigation::showEverything() {
  m_closer = false;
  setRanges(m_lower, m_upper);
  m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void PlotNavigation::setRanges(double lower, double upper) {
  m_setting = true;
  for (QCPAxisRect* rect : m_rects)
    rect->axis(QCPAxis::atBottom)->setRange(lower, upper);
  m_setting = false;
}

void PlotNavigation::onRangeChanged(const QCPRange& range) {
  if (m_setting) return;
  const double everything = m_upper - m_lower;
  const double size = std::clamp(range.size(), std::min(kClosest, everything), everything);
  const double lower = std::clamp(range.center() - size / 2, m_lower, m_upper - size);
  m_closer = size < 0.999 * everything;
  if (m_closer)
    setRanges(lower, lower + size);
  else
    setRanges(m_lower, m_upper);
}

// --- At the cursor -----------------------------------------------------------------------------

void PlotNavigation::applyTheme(const QPalette& palette) {
  QColor quiet = palette.color(QPalette::Text);
  quiet.setAlpha(110);
  m_cursor.setPen(QPen(quiet, 1));
  m_focus->setPen(QPen(palette.color(QPalette::Highlight), 3));  // its outer half is cut off
}

PlotReading PlotNavigation::readingAt(const QPointF& position) const {
  for (QCPAxisRect* rect : m_rects) {
    if (!rect->rect().contains(position.toPoint())) continue;
    const double key = rect->axis(QCPAxis::atBottom)->pixelToCoord(position.x());
    QCPColorMap* map = findColorMap(rect);
    if (!map) return readGraphs(rect, key);
    int column = 0, row = 0;
    map->data()->coordToCell(key, rect->axis(QCPAxis::atLeft)->pixelToCoord(position.y()), &column,
                             &row);
    return readCell(rect, map, column, row);
  }
  return {};
}

QString PlotNavigation::textAt(const QPointF& position) const {
  return readingText(readingAt(position));
}

void PlotNavigation::onMouseMove(const QPointF& position, const QPoint& globalPosition) {
  say(readingAt(position), globalPosition);
}

void PlotNavigation::say(const PlotReading& reading, const QPoint& globalPosition) {
  if (reading.lines.empty()) return hideReading();
  QStringList lines;
  for (const PlotReading::Line& line : reading.lines)
    lines << (line.color.isValid() ? QStringLiteral("<span style='color:%1'>■</span> %2")
                                         .arg(line.color.name(), line.text.toHtmlEscaped())
                                   : QStringLiteral("<b>%1</b>").arg(line.text.toHtmlEscaped()));
  QToolTip::showText(globalPosition,
                     QStringLiteral("<div style='white-space:pre'>%1</div>")
                         .arg(lines.join(QStringLiteral("<br>"))),
                     m_plot);
  m_saying = true;
  m_cursor.setStep(reading.marked ? std::optional(reading.key) : std::nullopt);
  m_plot->layer(QStringLiteral("overlay"))->replot();
}

void PlotNavigation::hideReading() {
  if (!std::exchange(m_saying, false)) return;
  QToolTip::hideText();
  m_cursor.setStep(std::nullopt);
  m_plot->layer(QStringLiteral("overlay"))->replot();
}

void PlotNavigation::setFocused(bool focused) {
  m_focus->setVisible(focused);
  if (!focused) {
    m_keys->end();
    hideReading();
  }
  m_plot->layer(QStringLiteral("overlay"))->replot();
}

bool PlotNavigation::eventFilter(QObject* watched, QEvent* event) {
  // A plot that is being destroyed loses the focus when it is a bare widget already.
  if (!qobject_cast<QCustomPlot*>(watched)) return false;
  switch (event->type()) {
    case QEvent::Leave:
      hideReading();
      break;
    case QEvent::FocusIn:
    case QEvent::FocusOut:
      setFocused(event->type() == QEvent::FocusIn);
      break;
    case QEvent::ToolTip:
      // Over values they are said at once; what the plot is, everywhere else.
      return !textAt(static_cast<QHelpEvent*>(event)->pos()).isEmpty();
    case QEvent::ShortcutOverride:
      if (!m_keys->claims(*static_cast<QKeyEvent*>(event))) break;
      event->accept();
      return true;
    case QEvent::KeyPress:
      if (!m_keys->claims(*static_cast<QKeyEvent*>(event))) break;
      m_keys->press(*static_cast<QKeyEvent*>(event));
      return true;
    default:
      break;
  }
  return QObject::eventFilter(watched, event);
}

}  // namespace headlight
