// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/PictureView.h"

#include <QEvent>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/workbench/session/PredictionComparison.h"
#include "ui/bridge/AnalysisBridge.h"
#include "ui/bridge/VideoPlayer.h"
#include "ui/canvas/ViewedMap.h"

namespace headlight {
namespace {

constexpr double kViewMargin = 8;
constexpr double kMostZoom = 64;
constexpr int kStaleAfterMs = 150;
constexpr double kBlockyFrom = 12;  ///< screen pixels per picture pixel: show the pixels
constexpr double kLinesFrom = 24;   ///< a patch this wide on the screen shows its neighbours' edges

}  // namespace

PictureView::PictureView(Document* document, QWidget* parent)
    : QWidget(parent), m_document(document), m_bridge(AnalysisBridge::of(document)) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setAttribute(Qt::WA_OpaquePaintEvent);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  connect(document, &Document::pictureChanged, this, &PictureView::pictureChanged);
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
  const Image& image = m_document->shownImage();
  if (image.empty()) return 1;
  const QRectF area = pictureArea().adjusted(kViewMargin, kViewMargin, -kViewMargin, -kViewMargin);
  const QSizeF whole(image.width, image.height);
  const QSizeF fitted = m_region.isEmpty() ? whole : m_region.size();
  return std::max(1e-6, std::min(area.width() / fitted.width(), area.height() / fitted.height()));
}

double PictureView::scale() const {
  return m_fitted ? fittedScale() : m_scale;
}

double PictureView::zoom() const {
  return scale() * devicePixelRatioF();
}

QPointF PictureView::shownCentre() const {
  if (!m_fitted) return m_centre;
  if (!m_region.isEmpty()) return m_region.center();
  return {m_document->shownImage().width / 2.0, m_document->shownImage().height / 2.0};
}

QPointF PictureView::toWidget(const QPointF& imagePoint) const {
  return pictureArea().center() + (imagePoint - shownCentre()) * scale();
}

QPointF PictureView::toImage(const QPointF& position) const {
  return shownCentre() + (position - pictureArea().center()) / scale();
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

int PictureView::tokenOf(int patch) const {
  const Grid& grid = m_document->model().grid;
  return correspondingToken(shownGrid().prefix + patch, shownGrid(), grid);
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
  const Image& image = m_document->shownImage();
  m_centre.setX(std::clamp<double>(m_centre.x(), 0, image.width));
  m_centre.setY(std::clamp<double>(m_centre.y(), 0, image.height));
}

// ---- What is shown -----------------------------------------------------------------------------

void PictureView::pictureChanged() {
  const QString before = std::exchange(m_name, m_document->shownImageName());
  const bool goesOn = VideoPlayer::areFramesOfOne(before, m_name);  // beneath a pointer that rests
  m_fitted = m_fitted || !goesOn;
  const int hovered = std::exchange(m_hovered, -1);
  regionChanged();
  refreshMap();
  if (goesOn) m_hovered = hovered;
}

void PictureView::regionChanged() {
  m_region = {};
  if (m_document->hasModel() && m_document->hasImage()) m_region = shownRegion(*m_document);
  sceneChanged();
}

void PictureView::refreshMap() {
  m_mapDirty = true;
  if (isVisible()) takeMap();
}

void PictureView::takeMap() {
  m_mapDirty = false;
  std::optional<MapOverlay> map;
  if (m_document->hasModel()) map = currentMap();
  if (map != m_map) {
    const auto gridOf = [](const std::optional<MapOverlay>& of) {
      return of ? std::pair(of->rows, of->cols) : std::pair(0, 0);
    };
    // It is a patch of the grid that was.
    if (m_map ? gridOf(map) != gridOf(m_map) : map && m_hovered >= map->rows * map->cols)
      m_hovered = -1;
    m_map = std::move(map);
    m_mapImage = m_map ? mapImage(*m_map) : QImage();
    m_mapBuilds += m_map ? 1 : 0;
    m_sceneDirty = true;
  }
  const ViewOptions& view = m_document->view();
  const double strength = m_map && m_map->isLight() ? view.dim : view.opacity;
  const bool plain = m_map && hasNoImage();
  if (strength != m_strength || view.showOverlay != m_showOverlay || plain != m_plain)
    m_sceneDirty = true;
  m_strength = strength;
  m_plain = plain;
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

// ---- Painting ----------------------------------------------------------------------------------

PictureScene PictureView::scene() const {
  PictureScene scene;
  const ImagePyramid& pyramid = m_bridge->pyramid();
  if (pyramid.levels.empty() || !m_document->hasImage()) return scene;
  // Only what is in sight: at high zoom the whole picture would be wider than a painter can count.
  const QRectF all(0, 0, pyramid.width, pyramid.height);
  const QRectF area = pictureArea();
  const QRectF seen = QRectF(toImage(area.topLeft()), toImage(area.bottomRight()))
                          .adjusted(-2, -2, 2, 2)
                          .intersected(all);
  if (seen.isEmpty()) return scene;
  scene.picture = pyramid.levelFor(zoom());
  const double x = static_cast<double>(scene.picture.width()) / pyramid.width;
  const double y = static_cast<double>(scene.picture.height()) / pyramid.height;
  scene.source = QRectF(seen.x() * x, seen.y() * y, seen.width() * x, seen.height() * y);
  scene.target = QRectF(toWidget(seen.topLeft()), toWidget(seen.bottomRight()));
  scene.blocky = zoom() >= kBlockyFrom;
  scene.region = regionRect();
  if (!m_showOverlay || !m_map) return scene;
  scene.map = m_mapImage;
  scene.smoothMap = m_map->smooth;
  scene.style = m_map->style;
  scene.strength = m_strength;
  scene.plain = m_plain;
  return scene;
}

void PictureView::buildScene() {
  const double ratio = devicePixelRatioF();
  const QSize pixels = (QSizeF(size()) * ratio).toSize();
  if (m_scene.size() != pixels) m_scene = QImage(pixels, QImage::Format_RGB32);
  m_scene.setDevicePixelRatio(ratio);
  m_scene.fill(palette().color(QPalette::Window));
  m_sceneDirty = false;
  m_sceneArea = pictureArea();
  QPainter painter(&m_scene);
  paintScene(painter, scene());
}

void PictureView::paintEvent(QPaintEvent*) {
  if (m_mapDirty) takeMap();
  const double ratio = devicePixelRatioF();
  if (m_sceneDirty || m_scene.size() != (QSizeF(size()) * ratio).toSize() ||
      m_scene.devicePixelRatio() != ratio || m_sceneArea != pictureArea())
    buildScene();
  QPainter painter(this);
  painter.drawImage(QPointF(0, 0), m_scene);
  const QRectF area = pictureArea();
  painter.save();
  painter.setClipRect(area);
  paintOverScene(painter);
  painter.restore();
  if (const QString text = hint(); !text.isEmpty() && m_document->hasImage())
    drawNote(painter, area, Qt::AlignBottom | Qt::AlignHCenter, text, palette());
  else if (!text.isEmpty())
    paintHint(painter, area, text, palette());
  if (m_showStale)
    drawNote(painter, area, Qt::AlignBottom | Qt::AlignLeft, tr("looking again…"), palette());
  const QRectF below(0, area.bottom(), width(), height() - area.bottom());
  painter.fillRect(below, palette().color(QPalette::Window));
  if (m_document->hasModel() && m_document->hasImage())
    drawLegend(painter, below, currentLegend(), palette());
  if (hasFocus()) {
    painter.setPen(QPen(palette().color(QPalette::Highlight), 1));
    painter.drawRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
  }
}

void PictureView::paintOverScene(QPainter& painter) {
  if (const QRectF region = regionRect(); !region.isEmpty()) {
    paintRegionEdge(painter, region, palette());
    const Grid grid = shownGrid();
    const bool close = !m_fitted && std::min(region.width() / grid.cols,
                                             region.height() / grid.rows) >= kLinesFrom;
    if (grid.patches() > 0 && (close || m_hovered >= 0))
      paintPatchLines(painter, region, grid.rows, grid.cols, pictureArea());
  }
  paintMarks(painter);
  if (m_hovered < 0) return;
  paintHoveredPatch(painter, patchRect(m_hovered));
  if (const QString text = hoverText(m_hovered); !text.isEmpty())
    drawNoteBeside(painter, patchRect(m_hovered), pictureArea(), text, palette());
}

void PictureView::drawTokenCursor(QPainter& painter) {
  if (!m_document->hasModel() || !m_document->hasImage()) return;
  // In the map's grid: where patches were merged, the merged one looks.
  const Grid grid = shownGrid();
  const int token = queryInLayer(m_document->view().query, m_document->model().grid, grid);
  const QRectF cursor = patchInRegion(regionRect(), grid.rows, grid.cols, token - grid.prefix);
  if (!cursor.isEmpty()) drawOutline(painter, cursor, palette().color(QPalette::Highlight), 2.5);
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
