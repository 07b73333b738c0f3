// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/ImageView.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/workbench/session/PredictionComparison.h"
#include "ui/base/SanitizedText.h"
#include "ui/bridge/AnalysisBridge.h"
#include "ui/bridge/VideoPlayer.h"
#include "ui/canvas/ImageViewInput.h"
#include "ui/canvas/ViewedMap.h"

namespace headlight {
namespace {

constexpr double kViewMargin = 8;
constexpr double kMostZoom = 64;
constexpr int kStaleAfterMs = 150;
constexpr double kBlockyFrom = 12;  ///< screen pixels per image pixel: show the pixels
constexpr double kLinesFrom = 24;   ///< a patch this wide on the screen shows its neighbors' edges

}  // namespace

ImageView::ImageView(Document* document, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_bridge(AnalysisBridge::of(document)),
      m_input(new ImageViewInput(this)) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setAttribute(Qt::WA_OpaquePaintEvent);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  connect(&document->recorded(), &RecordedStep::shownImageChanged, this, &ImageView::imageChanged);
  connect(&document->inputs(), &InferenceInputs::modelChanged, this, [this] {
    m_hovered = -1;
    regionChanged();
    refreshMap();
  });
  connect(document, &Document::inferenceChanged, this, &ImageView::refreshMap);
  connect(&document->view(), &ViewState::changed, this, &ImageView::refreshMap);
  connect(m_bridge, &AnalysisBridge::pyramidChanged, this, &ImageView::sceneChanged);
  connect(m_input, &ImageViewInput::picked, this, [this](int patch) { patchPressed(patch); });
  connect(m_input, &ImageViewInput::hovered, this, &ImageView::setHovered);
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

QRectF ImageView::imageArea() const {
  const double legend = legendHeight(QFontMetricsF(font()), legendNote(), width());
  return QRectF(rect()).adjusted(0, 0, 0, -std::min<double>(legend, height() / 2.0));
}

void ImageView::setCover(QWidget* cover) {
  if (m_cover.data() == cover) return;
  m_cover = cover;
  m_cover->installEventFilter(this);
  update();
}

QRectF ImageView::coveredArea() const {
  if (!m_cover || !m_cover->isVisible()) return {};
  return QRect(mapFromGlobal(m_cover->mapToGlobal(QPoint(0, 0))), m_cover->size());
}

double ImageView::fittedScale() const {
  const Image& image = m_document->recorded().shownImage();
  if (image.empty()) return 1;
  const QRectF area = imageArea().adjusted(kViewMargin, kViewMargin, -kViewMargin, -kViewMargin);
  const QSizeF whole(image.width, image.height);
  const QSizeF fitted = m_region.isEmpty() ? whole : m_region.size();
  return std::max(1e-6, std::min(area.width() / fitted.width(), area.height() / fitted.height()));
}

double ImageView::scale() const {
  return m_fitted ? fittedScale() : m_scale;
}

double ImageView::zoom() const {
  return scale() * devicePixelRatioF();
}

QPointF ImageView::shownCenter() const {
  if (!m_fitted) return m_center;
  if (!m_region.isEmpty()) return m_region.center();
  return {m_document->recorded().shownImage().width / 2.0,
          m_document->recorded().shownImage().height / 2.0};
}

QPointF ImageView::toWidget(const QPointF& imagePoint) const {
  return imageArea().center() + (imagePoint - shownCenter()) * scale();
}

QPointF ImageView::toImage(const QPointF& position) const {
  return shownCenter() + (position - imageArea().center()) / scale();
}

QRectF ImageView::regionRect() const {
  if (m_region.isEmpty()) return {};
  return {toWidget(m_region.topLeft()), toWidget(m_region.bottomRight())};
}

Grid ImageView::shownGrid() const {
  Grid grid = m_document->inputs().hasModel() ? m_document->inputs().model().grid : Grid{0, 0, 0};
  if (m_map) {
    grid.rows = m_map->rows;
    grid.cols = m_map->cols;
  }
  return grid;
}

int ImageView::tokenOf(int patch) const {
  const Grid& grid = m_document->inputs().model().grid;
  return correspondingToken(shownGrid().prefix + patch, shownGrid(), grid);
}

QRectF ImageView::patchRect(int patch) const {
  const Grid grid = shownGrid();
  return patchInRegion(regionRect(), grid.rows, grid.cols, patch);
}

int ImageView::patchAt(const QPointF& position) const {
  const QRectF region = regionRect();
  const Grid grid = shownGrid();
  if (region.isEmpty() || grid.patches() == 0 || !region.contains(position) ||
      !imageArea().contains(position))
    return -1;
  const auto at = [](double offset, double length, int count) {
    return std::clamp(static_cast<int>(offset / length * count), 0, count - 1);
  };
  return at(position.y() - region.top(), region.height(), grid.rows) * grid.cols +
         at(position.x() - region.left(), region.width(), grid.cols);
}

void ImageView::fit() {
  m_fitted = true;
  sceneChanged();
}

void ImageView::setZoom(double zoom, const QPointF& about) {
  if (!m_document->inputs().hasImage()) return;
  const QPointF under = toImage(about);
  const double fitted = fittedScale();
  const double ratio = devicePixelRatioF();
  m_scale = std::clamp(zoom / ratio, std::min(fitted, 1 / ratio) / 4,
                       std::max(fitted, kMostZoom / ratio));
  m_fitted = false;
  m_center = under - (about - imageArea().center()) / m_scale;
  keepInSight();
  sceneChanged();
}

void ImageView::moveImage(const QPointF& by) {
  if (m_fitted) setZoom(zoom(), imageArea().center());
  m_center -= by / m_scale;
  keepInSight();
  sceneChanged();
}

void ImageView::keepInSight() {
  const Image& image = m_document->recorded().shownImage();
  m_center.setX(std::clamp<double>(m_center.x(), 0, image.width));
  m_center.setY(std::clamp<double>(m_center.y(), 0, image.height));
}

// ---- What is shown -----------------------------------------------------------------------------

void ImageView::imageChanged() {
  const QString before = std::exchange(m_name, m_document->recorded().shownImageName());
  const bool goesOn = VideoPlayer::areFramesOfOne(before, m_name);  // beneath a pointer that rests
  m_fitted = m_fitted || !goesOn;
  const int hovered = std::exchange(m_hovered, -1);
  regionChanged();
  refreshMap();
  if (goesOn) m_hovered = hovered;
}

void ImageView::regionChanged() {
  m_region = {};
  if (m_document->inputs().hasModel() && m_document->inputs().hasImage())
    m_region = shownRegion(*m_document);
  sceneChanged();
}

void ImageView::refreshMap() {
  m_mapDirty = true;
  if (isVisible()) takeMap();
}

void ImageView::takeMap() {
  m_mapDirty = false;
  std::optional<MapOverlay> map;
  if (m_document->inputs().hasModel()) map = currentMap();
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
  const ViewOptions& view = m_document->view().options();
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

void ImageView::sceneChanged() {
  m_sceneDirty = true;
  update();
}

void ImageView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  refreshMap();
}

QString ImageView::hint() const {
  if (!m_document->inputs().hasImage())
    return tr("Drop an image here, or open one from the File menu.");
  if (!m_document->inputs().hasModel())
    return tr("Open a model to see the attention of its heads.");
  return {};
}

QString ImageView::patchText(int patch) const {
  const Grid grid = shownGrid();
  return tr("patch (%1, %2)").arg(patch / grid.cols).arg(patch % grid.cols);
}

QString ImageView::hoverText(int patch) const {
  if (!m_map) return patchText(patch);
  const double value = m_map->values[static_cast<std::size_t>(patch)];
  return patchText(patch) + QStringLiteral("   ") +
         (std::isnan(value) ? tr("no value") : formatValue(value));
}

// ---- Painting ----------------------------------------------------------------------------------

ImageScene ImageView::scene() const {
  ImageScene scene;
  const ImagePyramid& pyramid = m_bridge->pyramid();
  if (pyramid.levels.empty() || !m_document->inputs().hasImage()) return scene;
  // Only what is in sight: at high zoom the whole image would be wider than a painter can count.
  const QRectF all(0, 0, pyramid.width, pyramid.height);
  const QRectF area = imageArea();
  const QRectF seen = QRectF(toImage(area.topLeft()), toImage(area.bottomRight()))
                          .adjusted(-2, -2, 2, 2)
                          .intersected(all);
  if (seen.isEmpty()) return scene;
  scene.image = pyramid.levelFor(zoom());
  const double x = static_cast<double>(scene.image.width()) / pyramid.width;
  const double y = static_cast<double>(scene.image.height()) / pyramid.height;
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

void ImageView::buildScene() {
  const double ratio = devicePixelRatioF();
  const QSize pixels = (QSizeF(size()) * ratio).toSize();
  if (m_scene.size() != pixels) m_scene = QImage(pixels, QImage::Format_RGB32);
  m_scene.setDevicePixelRatio(ratio);
  m_scene.fill(palette().color(QPalette::Window));
  m_sceneDirty = false;
  m_sceneArea = imageArea();
  QPainter painter(&m_scene);
  paintScene(painter, scene());
}

void ImageView::paintEvent(QPaintEvent*) {
  if (m_mapDirty) takeMap();
  const double ratio = devicePixelRatioF();
  if (m_sceneDirty || m_scene.size() != (QSizeF(size()) * ratio).toSize() ||
      m_scene.devicePixelRatio() != ratio || m_sceneArea != imageArea())
    buildScene();
  QPainter painter(this);
  painter.drawImage(QPointF(0, 0), m_scene);
  const QRectF area = imageArea();
  painter.save();
  painter.setClipRect(area);
  paintOverScene(painter);
  painter.restore();
  if (const QString text = hint(); !text.isEmpty() && m_document->inputs().hasImage())
    drawNote(painter, area, Qt::AlignBottom | Qt::AlignHCenter, text, palette());
  else if (!text.isEmpty())
    paintHint(painter, area, text, palette());
  if (m_showStale)
    drawNote(painter, area, Qt::AlignBottom | Qt::AlignLeft, tr("running the model…"), palette());
  const QRectF below(0, area.bottom(), width(), height() - area.bottom());
  painter.fillRect(below, palette().color(QPalette::Window));
  if (m_document->inputs().hasModel() && m_document->inputs().hasImage())
    drawLegend(painter, below, currentLegend(), palette());
  if (hasFocus()) {
    painter.setPen(QPen(palette().color(QPalette::Highlight), 1));
    painter.drawRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
  }
}

void ImageView::paintOverScene(QPainter& painter) {
  if (const QRectF region = regionRect(); !region.isEmpty()) {
    paintRegionEdge(painter, region, palette());
    const Grid grid = shownGrid();
    const bool close = !m_fitted && std::min(region.width() / grid.cols,
                                             region.height() / grid.rows) >= kLinesFrom;
    if (grid.patches() > 0 && (close || m_hovered >= 0))
      paintPatchLines(painter, region, grid.rows, grid.cols, imageArea());
  }
  paintMarks(painter);
  if (m_hovered < 0) return;
  paintHoveredPatch(painter, patchRect(m_hovered));
  if (const QString text = hoverText(m_hovered); !text.isEmpty())
    drawNoteBeside(painter, patchRect(m_hovered), imageArea(), text, palette());
}

void ImageView::drawTokenCursor(QPainter& painter) {
  if (!m_document->inputs().hasModel() || !m_document->inputs().hasImage()) return;
  // In the map's grid: where patches were merged, the merged one looks.
  const Grid grid = shownGrid();
  const int token =
      queryInLayer(m_document->view().options().query, m_document->inputs().model().grid, grid);
  const QRectF cursor = patchInRegion(regionRect(), grid.rows, grid.cols, token - grid.prefix);
  if (!cursor.isEmpty()) drawOutline(painter, cursor, palette().color(QPalette::Highlight), 2.5);
}

// ---- What Qt asks of it ------------------------------------------------------------------------

void ImageView::setHovered(int patch) {
  if (patch == m_hovered) return;
  m_hovered = patch;
  patchHovered(patch);
  Q_EMIT pointed(patch);
  update();
}

void ImageView::showPointed(int patch) {
  if (patch == m_hovered || patch >= shownGrid().patches()) return;
  m_hovered = patch;
  update();
}

void ImageView::mousePressEvent(QMouseEvent* event) {
  m_input->press(*event);
}

void ImageView::mouseMoveEvent(QMouseEvent* event) {
  m_input->move(*event);
}

void ImageView::mouseReleaseEvent(QMouseEvent*) {
  m_input->release();
}

void ImageView::wheelEvent(QWheelEvent* event) {
  m_input->wheel(*event);
  event->accept();
}

void ImageView::leaveEvent(QEvent*) {
  setHovered(-1);
}

bool ImageView::claimsKey(const QKeyEvent& event) const {
  return ImageViewInput::claimsKey(event);
}

bool ImageView::handleKey(QKeyEvent* event) {
  return m_input->pressKey(*event);
}

void ImageView::keyPressEvent(QKeyEvent* event) {
  if (!handleKey(event)) QWidget::keyPressEvent(event);
}

void ImageView::keyReleaseEvent(QKeyEvent* event) {
  if (!m_input->releaseKey(*event)) QWidget::keyReleaseEvent(event);
}

bool ImageView::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride && claimsKey(*static_cast<QKeyEvent*>(event))) {
    event->accept();
    return true;
  }
  if (event->type() == QEvent::ToolTip) {
    const auto& asked = *static_cast<QHelpEvent*>(event);
    if (asked.pos().y() < imageArea().bottom()) return QWidget::event(event);
    QToolTip::showText(asked.globalPos(), plainToolTip(legendText(currentLegend())), this);
    return true;
  }
  if (event->type() == QEvent::FocusOut) m_input->loseFocus();
  return QWidget::event(event);
}

/// Qt repaints only what the cover leaves, but a legend may lie elsewhere then.
bool ImageView::eventFilter(QObject* watched, QEvent* event) {
  const QEvent::Type type = event->type();
  if (watched == m_cover.data() && (type == QEvent::Show || type == QEvent::Hide ||
                                    type == QEvent::Move || type == QEvent::Resize))
    update();
  return QWidget::eventFilter(watched, event);
}

void ImageView::resizeEvent(QResizeEvent*) {
  sceneChanged();
}

void ImageView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange ||
      event->type() == QEvent::StyleChange)
    sceneChanged();
  QWidget::changeEvent(event);
}

}  // namespace headlight
