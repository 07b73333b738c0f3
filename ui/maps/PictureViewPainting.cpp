// What PictureView paints: the scene, which is kept until something in it changes, and what lies
// over it.

#include <QPainterPath>

#include <algorithm>
#include <cmath>

#include "ui/bridge/AnalysisBridge.h"
#include "ui/maps/PictureView.h"
#include "ui/maps/ViewedMap.h"

namespace headlight {
namespace {

constexpr double kBlockyFrom = 12;  ///< screen pixels per picture pixel: show the pixels
constexpr double kLinesFrom = 24;   ///< a patch this wide on the screen shows its neighbours' edges

}  // namespace

void PictureView::buildScene() {
  const double ratio = devicePixelRatioF();
  const QSize pixels = (QSizeF(size()) * ratio).toSize();
  if (m_scene.size() != pixels) m_scene = QImage(pixels, QImage::Format_RGB32);
  m_scene.setDevicePixelRatio(ratio);
  m_scene.fill(palette().color(QPalette::Window));
  m_sceneDirty = false;
  const ImagePyramid& pyramid = m_bridge->pyramid();
  if (pyramid.levels.empty() || !m_document->hasImage()) return;

  QPainter painter(&m_scene);
  // Only what is in sight: at high zoom the whole picture would be wider than a painter can count.
  const QRectF all(0, 0, pyramid.width, pyramid.height);
  const QRectF area = pictureArea();
  const QRectF seen = QRectF(toImage(area.topLeft()), toImage(area.bottomRight()))
                          .adjusted(-2, -2, 2, 2)
                          .intersected(all);
  if (seen.isEmpty()) return;
  const QRectF target(toWidget(seen.topLeft()), toWidget(seen.bottomRight()));
  const QImage& level = pyramid.levelFor(zoom());
  const double x = static_cast<double>(level.width()) / pyramid.width;
  const double y = static_cast<double>(level.height()) / pyramid.height;
  painter.setRenderHint(QPainter::SmoothPixmapTransform, zoom() < kBlockyFrom);
  painter.drawImage(target, level,
                    QRectF(seen.x() * x, seen.y() * y, seen.width() * x, seen.height() * y));
  const QRectF region = regionRect();
  if (region.isEmpty()) return;
  if (m_showOverlay && m_map) {
    painter.setOpacity(m_opacity);
    drawMap(painter, region, m_mapImage, m_map->smooth);
    painter.setOpacity(1);
  }
  QPainterPath unseen;
  unseen.addRect(target);
  QPainterPath inside;
  inside.addRect(region);
  QColor dim = palette().color(QPalette::Window);
  dim.setAlpha(170);
  painter.fillPath(unseen.subtracted(inside), dim);
}

void PictureView::paintEvent(QPaintEvent*) {
  if (m_mapDirty) takeMap();
  const double ratio = devicePixelRatioF();
  if (m_sceneDirty || m_scene.size() != (QSizeF(size()) * ratio).toSize() ||
      m_scene.devicePixelRatio() != ratio)
    buildScene();
  QPainter painter(this);
  painter.drawImage(QPointF(0, 0), m_scene);
  const QRectF area = pictureArea();
  painter.save();
  painter.setClipRect(area);
  const QRectF region = regionRect();
  if (!region.isEmpty()) {
    QColor edge = palette().color(QPalette::WindowText);
    edge.setAlpha(170);
    painter.setPen(QPen(edge, 1));
    painter.drawRect(region);
    paintGridLines(painter);
  }
  paintMarks(painter);
  paintHover(painter);
  painter.restore();
  paintHint(painter);
  if (m_showStale) drawNote(painter, area, Qt::AlignBottom | Qt::AlignLeft, tr("looking again…"));
  const QRectF below(0, area.bottom(), width(), height() - area.bottom());
  painter.fillRect(below, palette().color(QPalette::Window));
  if (m_document->hasModel() && m_document->hasImage())
    drawLegend(painter, below, currentLegend(), palette());
  if (hasFocus()) {
    painter.setPen(QPen(palette().color(QPalette::Highlight), 1));
    painter.drawRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
  }
}

void PictureView::paintGridLines(QPainter& painter) {
  const Grid grid = shownGrid();
  const QRectF region = regionRect();
  if (grid.patches() == 0) return;
  const double width = region.width() / grid.cols, height = region.height() / grid.rows;
  const bool close = !m_fitted && std::min(width, height) >= kLinesFrom;
  if (!close && m_hovered < 0) return;
  if (std::min(width, height) < 4) return;
  const QRectF area = pictureArea();
  const QRectF seen = region.intersected(area);
  const auto lines = [&](const QColor& color, double shift) {
    painter.setPen(QPen(color, 1));
    for (int c = 1; c < grid.cols; ++c) {
      const double x = std::round(region.left() + c * width) + shift;
      if (x >= area.left() && x <= area.right())
        painter.drawLine(QPointF(x, seen.top()), QPointF(x, seen.bottom()));
    }
    for (int r = 1; r < grid.rows; ++r) {
      const double y = std::round(region.top() + r * height) + shift;
      if (y >= area.top() && y <= area.bottom())
        painter.drawLine(QPointF(seen.left(), y), QPointF(seen.right(), y));
    }
  };
  lines(QColor(255, 255, 255, 56), 0);
  lines(QColor(0, 0, 0, 40), 1);
}

void PictureView::paintHover(QPainter& painter) {
  if (m_hovered < 0) return;
  const QRectF patch = patchRect(m_hovered);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(QColor(0, 0, 0, 130), 3));
  painter.drawRect(patch);
  painter.setPen(QPen(Qt::white, 1));
  painter.drawRect(patch);
  const QString text = hoverText(m_hovered);
  if (!text.isEmpty()) drawNote(painter, pictureArea(), Qt::AlignTop | Qt::AlignRight, text);
}

void PictureView::paintHint(QPainter& painter) {
  const QString text = hint();
  if (text.isEmpty()) return;
  const QRectF area = pictureArea();
  if (m_document->hasImage())
    return drawNote(painter, area, Qt::AlignBottom | Qt::AlignHCenter, text);
  QColor quiet = palette().color(QPalette::WindowText);
  quiet.setAlphaF(0.65f);
  painter.setPen(quiet);
  painter.drawText(area.adjusted(24, 24, -24, -24), Qt::AlignCenter | Qt::TextWordWrap, text);
}

void PictureView::drawNote(QPainter& painter, const QRectF& anchor, Qt::Alignment corner,
                           const QString& text) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  const QFontMetricsF metrics(painter.font());
  const QStringList lines = text.split(QLatin1Char('\n'));
  double width = 0;
  for (const QString& line : lines)
    width = std::max(width, metrics.horizontalAdvance(line));
  const QSizeF size(std::min(width + 16, anchor.width() - 16),
                    metrics.height() * static_cast<double>(lines.size()) + 8);
  const QRectF inner = anchor.adjusted(8, 8, -8, -8);
  double x = inner.center().x() - size.width() / 2;
  if (corner & Qt::AlignLeft) x = inner.left();
  if (corner & Qt::AlignRight) x = inner.right() - size.width();
  const double y = corner & Qt::AlignTop ? inner.top() : inner.bottom() - size.height();
  const QRectF box(std::round(x), std::round(y), size.width(), size.height());
  QColor ground = palette().color(QPalette::Window);
  ground.setAlpha(225);
  QColor edge = palette().color(QPalette::WindowText);
  edge.setAlpha(60);
  painter.setBrush(ground);
  painter.setPen(edge);
  painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
  painter.setPen(palette().color(QPalette::WindowText));
  for (int i = 0; i < lines.size(); ++i)
    painter.drawText(QRectF(box.left() + 8, box.top() + 4 + i * metrics.height(), box.width() - 12,
                            metrics.height()),
                     Qt::AlignLeft | Qt::AlignVCenter, lines[i]);
  painter.restore();
}

void PictureView::drawTokenCursor(QPainter& painter) {
  if (!m_document->hasModel() || !m_document->hasImage()) return;
  // In the map's grid: where patches were merged, the merged one looks.
  const Grid grid = shownGrid();
  const int token = queryInLayer(m_document->view().query, m_document->model().grid, grid);
  const QRectF cursor = patchInRegion(regionRect(), grid.rows, grid.cols, token - grid.prefix);
  if (!cursor.isEmpty()) drawOutline(painter, cursor, palette().color(QPalette::Highlight), 2.5);
}

}  // namespace headlight
