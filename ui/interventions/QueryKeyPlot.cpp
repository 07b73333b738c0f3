// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/interventions/QueryKeyPlot.h"

#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QRubberBand>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

#include "ui/base/Colors.h"
#include "ui/base/Images.h"
#include "ui/plots/PlotTheme.h"
#include "ui/plots/Plotting.h"

namespace headlight {
namespace {

constexpr double kReach = 8;  ///< pixels around the pointer
constexpr int kPatchSide = 22;
constexpr double kZoomStep = 0.8, kMoveStep = 0.15, kEdge = 1.1;

/// Draws the points of a plot, selected ones on top.
class CloudItem : public QCPAbstractItem {
 public:
  CloudItem(QCustomPlot* plot, const std::vector<CloudPoint>& points)
      : QCPAbstractItem(plot), m_points(points) {
    setSelectable(false);
  }
  double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }

 protected:
  void draw(QCPPainter* painter) override {
    const bool any = std::any_of(m_points.begin(), m_points.end(),
                                 [](const CloudPoint& point) { return point.isSelected; });
    for (const bool selected : {false, true})
      for (const CloudPoint& point : m_points)
        if (point.isSelected == selected) drawPoint(painter, point, any && !selected);
  }

 private:
  void drawPoint(QCPPainter* painter, const CloudPoint& point, bool faint) const {
    const QPointF at(parentPlot()->xAxis->coordToPixel(point.x),
                     parentPlot()->yAxis->coordToPixel(point.y));
    const QRectF seen =
        QRectF(clipRect()).adjusted(-kPatchSide, -kPatchSide, kPatchSide, kPatchSide);
    if (!seen.contains(at)) return;
    QColor color = point.color;
    color.setAlphaF(faint ? 0.2F : 0.85F);
    painter->setPen(QPen(color, point.isSelected ? 2 : 1));
    if (!point.patch.isNull()) return drawPatch(painter, at, point, faint);
    painter->setBrush(point.isKey ? QBrush(Qt::NoBrush) : QBrush(color));
    const double radius = point.isSelected ? 4 : 2.5;
    if (!point.isKey) return painter->drawEllipse(at, radius, radius);
    painter->drawLine(QLineF(at.x() - radius, at.y(), at.x() + radius, at.y()));
    painter->drawLine(QLineF(at.x(), at.y() - radius, at.x(), at.y() + radius));
  }

  static void drawPatch(QCPPainter* painter, const QPointF& at, const CloudPoint& point,
                        bool faint) {
    const QRectF place(at.x() - kPatchSide / 2.0, at.y() - kPatchSide / 2.0, kPatchSide,
                       kPatchSide);
    painter->setOpacity(faint ? 0.3 : 1);
    painter->drawPixmap(place, point.patch, point.part);
    painter->setOpacity(1);
    painter->setBrush(Qt::NoBrush);
    painter->drawRect(place);
  }

  const std::vector<CloudPoint>& m_points;
};

QColor cloudColor(double value, PointColoring coloring, const QPalette& palette) {
  if (std::isnan(value))
    return mixed(palette.color(QPalette::Base), palette.color(QPalette::Text), 0.4);
  if (coloring == PointColoring::Role || coloring == PointColoring::Class)
    return seriesColor(static_cast<int>(value) % 7, palette);
  return sequenceColor(value, palette);
}

}  // namespace

QueryKeyPlot::QueryKeyPlot(QWidget* parent)
    : QWidget(parent),
      m_plot(new QCustomPlot(this)),
      m_band(new QRubberBand(QRubberBand::Rectangle, m_plot)) {
  setObjectName(QStringLiteral("queryKeyPlot"));
  setAccessibleName(tr("Queries and keys in two dimensions"));
  setFocusPolicy(Qt::StrongFocus);
  m_plot->setFocusPolicy(Qt::NoFocus);
  m_plot->setAccessibleName(accessibleName());
  m_plot->setMinimumSize(320, 240);
  m_plot->setMouseTracking(true);
  m_plot->setInteraction(QCP::iRangeZoom);
  // Margins that do not follow the numbers at the axes: the scale follows from what is left.
  m_plot->axisRect()->setAutoMargins(QCP::msNone);
  m_plot->axisRect()->setMargins(QMargins(60, 10, 12, 46));
  m_plot->xAxis->setLabel(tr("first component"));
  m_plot->yAxis->setLabel(tr("second component"));
  new CloudItem(m_plot, m_points);  // the plot owns it
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(m_plot);
  connectMouse();
  connect(m_plot, &QCustomPlot::afterLayout, this, [this] {
    if (m_closer) return;
    const QCPRange before = m_plot->xAxis->range();
    fitRanges();
    if (before != m_plot->xAxis->range()) replot();
  });
  applyTheme();
}

void QueryKeyPlot::connectMouse() {
  connect(m_plot, &QCustomPlot::mousePress, this,
          [this](QMouseEvent* event) { onPress(event->position().toPoint(), event->button()); });
  connect(m_plot, &QCustomPlot::mouseMove, this,
          [this](QMouseEvent* event) { onMove(event->position().toPoint(), event->buttons()); });
  connect(m_plot, &QCustomPlot::mouseRelease, this,
          [this](QMouseEvent* event) { onRelease(event->position().toPoint(), event->button()); });
  connect(m_plot, &QCustomPlot::mouseWheel, this, [this] { m_closer = true; });
  connect(m_plot, &QCustomPlot::mouseDoubleClick, this, [this] { showEverything(); });
}

void QueryKeyPlot::setMap(std::shared_ptr<const QueryKeyMap> map) {
  m_map = std::move(map);
  m_points.clear();
  m_hovered = -1;
  if (m_map)
    for (const QueryKeyPoint& point : m_map->points)
      m_points.push_back({point.x, point.y, {}, point.isKey, false, {}, {}});
  select({});
  colorPoints();
  makePatches();
  showEverything();
}

void QueryKeyPlot::setColoring(PointColoring coloring) {
  m_coloring = coloring;
  colorPoints();
  replot();
}

void QueryKeyPlot::setPatches(bool shown) {
  m_patches = shown;
  makePatches();
  replot();
}

void QueryKeyPlot::colorPoints() {
  if (!m_map) return;
  const std::vector<double> values = pointValues(*m_map, m_coloring);
  for (std::size_t i = 0; i < m_points.size(); ++i)
    m_points[i].color = cloudColor(values[i], m_coloring, palette());
}

void QueryKeyPlot::makePatches() {
  std::vector<QPixmap> views;
  if (m_patches && m_map)
    for (const QueryKeyImage& image : m_map->images)
      views.push_back(QPixmap::fromImage(wrapImage(image.view)));
  for (std::size_t i = 0; i < m_points.size(); ++i) {
    const QueryKeyPoint& point = m_map->points[i];
    const auto [left, top, width, height] = patchInView(*m_map, point);
    m_points[i].part = QRectF(left, top, width, height);
    m_points[i].patch = m_patches ? views[static_cast<std::size_t>(point.image)] : QPixmap();
  }
}

/// Both axes on one scale, so that distances are distances.
void QueryKeyPlot::fitRanges() {
  double lowX = 0, highX = 0, lowY = 0, highY = 0;
  for (const CloudPoint& point : m_points) {
    lowX = std::min(lowX, point.x), highX = std::max(highX, point.x);
    lowY = std::min(lowY, point.y), highY = std::max(highY, point.y);
  }
  const QRect area = m_plot->axisRect()->rect();
  const double unit = kEdge * std::max((highX - lowX) / std::max(1, area.width()),
                                       (highY - lowY) / std::max(1, area.height()));
  const double wide = unit > 0 ? unit * area.width() : 1,
               high = unit > 0 ? unit * area.height() : 1;
  m_plot->xAxis->setRange((lowX + highX - wide) / 2, (lowX + highX + wide) / 2);
  m_plot->yAxis->setRange((lowY + highY - high) / 2, (lowY + highY + high) / 2);
}

void QueryKeyPlot::showEverything() {
  m_closer = false;
  fitRanges();
  replot();
}

void QueryKeyPlot::zoom(double factor) {
  m_closer = true;
  for (QCPAxis* axis : {m_plot->xAxis, m_plot->yAxis})
    axis->scaleRange(factor, axis->range().center());
  replot();
}

void QueryKeyPlot::moveBy(double right, double up) {
  m_closer = true;
  m_plot->xAxis->moveRange(right * m_plot->xAxis->range().size());
  m_plot->yAxis->moveRange(up * m_plot->yAxis->range().size());
  replot();
}

QPointF QueryKeyPlot::placeOf(int point) const {
  const CloudPoint& one = m_points.at(static_cast<std::size_t>(point));
  return {m_plot->xAxis->coordToPixel(one.x), m_plot->yAxis->coordToPixel(one.y)};
}

int QueryKeyPlot::pointAt(const QPointF& position) const {
  int nearest = -1;
  double least = kReach * kReach;
  for (int i = 0; i < static_cast<int>(m_points.size()); ++i) {
    const QPointF apart = placeOf(i) - position;
    const double square = QPointF::dotProduct(apart, apart);
    if (square > least) continue;
    least = square;
    nearest = i;
  }
  return nearest;
}

void QueryKeyPlot::selectIn(const QRect& rectangle) {
  std::vector<int> inside;
  for (int i = 0; i < static_cast<int>(m_points.size()); ++i)
    if (QRectF(rectangle).contains(placeOf(i))) inside.push_back(i);
  select(std::move(inside));
}

void QueryKeyPlot::select(std::vector<int> points) {
  for (CloudPoint& point : m_points)
    point.isSelected = false;
  for (const int point : points)
    m_points[static_cast<std::size_t>(point)].isSelected = true;
  m_selected = std::move(points);
  replot();
  Q_EMIT selectionChanged();
}

void QueryKeyPlot::onPress(const QPoint& position, Qt::MouseButton button) {
  setFocus(Qt::MouseFocusReason);
  m_pressed = button == Qt::LeftButton;
  m_grabbed = position;
}

void QueryKeyPlot::onMove(const QPoint& position, Qt::MouseButtons held) {
  if (m_pressed && (held & Qt::LeftButton)) {
    const bool drags =
        (position - m_grabbed).manhattanLength() >= QApplication::startDragDistance();
    if (!drags && !m_band->isVisible()) return;
    m_band->setGeometry(QRect(m_grabbed, position).normalized());
    m_band->show();
    return;
  }
  const int point = pointAt(position);
  if (point == m_hovered) return;
  m_hovered = point;
  Q_EMIT hovered(point);
}

void QueryKeyPlot::onRelease(const QPoint& position, Qt::MouseButton button) {
  if (!m_pressed || button != Qt::LeftButton) return;
  m_pressed = false;
  if (m_band->isVisible()) {
    m_band->hide();
    return selectIn(QRect(m_grabbed, position).normalized());
  }
  const int point = pointAt(position);
  if (point >= 0)
    Q_EMIT chosen(point);
  else if (!m_selected.empty())
    select({});
}

void QueryKeyPlot::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Plus:
      return zoom(kZoomStep);
    case Qt::Key_Minus:
      return zoom(1 / kZoomStep);
    case Qt::Key_Left:
      return moveBy(-kMoveStep, 0);
    case Qt::Key_Right:
      return moveBy(kMoveStep, 0);
    case Qt::Key_Up:
      return moveBy(0, kMoveStep);
    case Qt::Key_Down:
      return moveBy(0, -kMoveStep);
    case Qt::Key_Home:
      return showEverything();
    default:
      QWidget::keyPressEvent(event);
  }
}

void QueryKeyPlot::applyTheme() {
  applyPlotTheme(m_plot, palette(), font());
  colorPoints();
  replot();
}

void QueryKeyPlot::replot() {
  m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void QueryKeyPlot::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) applyTheme();
}

}  // namespace headlight
