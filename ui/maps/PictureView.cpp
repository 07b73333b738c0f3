#include "ui/maps/PictureView.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/bridge/AnalysisBridge.h"

namespace headlight {
namespace {

constexpr double kViewMargin = 8;
constexpr double kMostZoom = 64;
constexpr int kStaleAfterMs = 150;

}  // namespace

PictureView::PictureView(Document* document, QWidget* parent)
    : QWidget(parent), m_document(document), m_bridge(AnalysisBridge::of(document)) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setAttribute(Qt::WA_OpaquePaintEvent);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  connect(document, &Document::imageChanged, this, &PictureView::pictureChanged);
  connect(document, &Document::modelChanged, this, [this] {
    m_hovered = -1;
    regionChanged();
    refreshMap();
  });
  connect(document, &Document::lookChanged, this, &PictureView::refreshMap);
  connect(document, &Document::viewChanged, this, &PictureView::refreshMap);
  connect(m_bridge, &AnalysisBridge::pyramidChanged, this, &PictureView::sceneChanged);
  m_staleTimer.setSingleShot(true);
  m_staleTimer.setInterval(kStaleAfterMs);
  connect(&m_staleTimer, &QTimer::timeout, this, [this] {
    m_showStale = true;
    update();
  });
  connect(document, &Document::staleChanged, this, [this] {
    if (m_document->isStale()) return m_staleTimer.start();
    m_staleTimer.stop();
    m_showStale = false;
    update();
  });
  regionChanged();
}

// ---- Where things are ------------------------------------------------------------------------

QRectF PictureView::pictureArea() const {
  const double legend = legendHeight(QFontMetricsF(font()), legendNote(), width());
  return QRectF(rect()).adjusted(0, 0, 0, -std::min<double>(legend, height() / 2.0));
}

double PictureView::fittedScale() const {
  const Image& image = m_document->image();
  if (image.empty()) return 1;
  const QRectF area = pictureArea().adjusted(kViewMargin, kViewMargin, -kViewMargin, -kViewMargin);
  return std::max(1e-6, std::min(area.width() / image.width, area.height() / image.height));
}

double PictureView::scale() const {
  return m_fitted ? fittedScale() : m_scale;
}

double PictureView::zoom() const {
  return scale() * devicePixelRatioF();
}

QPointF PictureView::toWidget(const QPointF& imagePoint) const {
  const Image& image = m_document->image();
  const QPointF centre = m_fitted ? QPointF(image.width / 2.0, image.height / 2.0) : m_centre;
  return pictureArea().center() + (imagePoint - centre) * scale();
}

QPointF PictureView::toImage(const QPointF& position) const {
  const Image& image = m_document->image();
  const QPointF centre = m_fitted ? QPointF(image.width / 2.0, image.height / 2.0) : m_centre;
  return centre + (position - pictureArea().center()) / scale();
}

QRectF PictureView::regionRect() const {
  if (m_region.isEmpty()) return {};
  return {toWidget(m_region.topLeft()), toWidget(m_region.bottomRight())};
}

Grid PictureView::shownGrid() const {
  Grid grid = m_document->hasModel() ? m_document->model().grid : Grid{0, 0, 0};
  if (m_map) {
    grid.rows = m_map->rows;
    grid.cols = m_map->cols;
  }
  return grid;
}

QRectF PictureView::patchRect(int patch) const {
  const Grid grid = shownGrid();
  return patchInRegion(regionRect(), grid.rows, grid.cols, patch);
}

int PictureView::patchAt(const QPointF& position) const {
  const QRectF region = regionRect();
  const Grid grid = shownGrid();
  if (region.isEmpty() || grid.patches() == 0 || !region.contains(position) ||
      !pictureArea().contains(position))
    return -1;
  const auto at = [](double offset, double length, int count) {
    return std::clamp(static_cast<int>(offset / length * count), 0, count - 1);
  };
  return at(position.y() - region.top(), region.height(), grid.rows) * grid.cols +
         at(position.x() - region.left(), region.width(), grid.cols);
}

void PictureView::fit() {
  m_fitted = true;
  sceneChanged();
}

void PictureView::setZoom(double zoom, const QPointF& about) {
  if (!m_document->hasImage()) return;
  const QPointF under = toImage(about);
  const double fitted = fittedScale();
  const double ratio = devicePixelRatioF();
  m_scale = std::clamp(zoom / ratio, std::min(fitted, 1 / ratio) / 4,
                       std::max(fitted, kMostZoom / ratio));
  m_fitted = false;
  m_centre = under - (about - pictureArea().center()) / m_scale;
  keepInSight();
  sceneChanged();
}

void PictureView::keepInSight() {
  const Image& image = m_document->image();
  m_centre.setX(std::clamp<double>(m_centre.x(), 0, image.width));
  m_centre.setY(std::clamp<double>(m_centre.y(), 0, image.height));
}

// ---- What is shown -----------------------------------------------------------------------------

void PictureView::pictureChanged() {
  m_fitted = true;
  m_hovered = -1;
  regionChanged();
  refreshMap();
}

void PictureView::regionChanged() {
  m_region = {};
  if (m_document->hasModel() && m_document->hasImage())
    m_region = seenRegion(m_document->image(), m_document->model().experiment.model);
  sceneChanged();
}

void PictureView::refreshMap() {
  m_mapDirty = true;
  if (isVisible()) takeMap();
}

void PictureView::takeMap() {
  m_mapDirty = false;
  std::optional<MapLayer> map;
  if (m_document->hasModel()) map = currentMap();
  if (map != m_map) {
    const auto gridOf = [](const std::optional<MapLayer>& of) {
      return of ? std::pair(of->rows, of->cols) : std::pair(0, 0);
    };
    if (gridOf(map) != gridOf(m_map)) m_hovered = -1;  // it is a patch of the grid that was
    m_map = std::move(map);
    m_mapImage = m_map ? mapImage(*m_map) : QImage();
    m_mapBuilds += m_map ? 1 : 0;
    m_sceneDirty = true;
  }
  const ViewOptions& view = m_document->view();
  if (view.opacity != m_opacity || view.showOverlay != m_showOverlay) m_sceneDirty = true;
  m_opacity = view.opacity;
  m_showOverlay = view.showOverlay;
  mapTaken();
  update();
}

void PictureView::sceneChanged() {
  m_sceneDirty = true;
  update();
}

void PictureView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  refreshMap();
}

QString PictureView::hint() const {
  if (!m_document->hasImage()) return tr("Drop a picture here, or open one from the File menu.");
  if (!m_document->hasModel()) return tr("Open a model to see where its heads look.");
  return {};
}

QString PictureView::hoverText(int patch) const {
  const Grid grid = shownGrid();
  QString text = tr("patch (%1, %2)").arg(patch / grid.cols).arg(patch % grid.cols);
  if (!m_map) return text;
  const double value = m_map->values[static_cast<std::size_t>(patch)];
  return text + QStringLiteral("   ") + (std::isnan(value) ? tr("no value") : formatValue(value));
}

void PictureView::resizeEvent(QResizeEvent*) {
  sceneChanged();
}

void PictureView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange ||
      event->type() == QEvent::StyleChange)
    sceneChanged();
  QWidget::changeEvent(event);
}

}  // namespace headlight
