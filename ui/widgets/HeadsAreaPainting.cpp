// HeadsArea's tiles and labels.

#include <QPainter>

#include "ui/widgets/HeadTile.h"
#include "ui/widgets/HeadsGrid.h"
#include "ui/widgets/ViewedMap.h"

namespace headlight {
namespace {

constexpr int kSmoothPixels = 6;  ///< a patch's side in a smooth thumbnail

}  // namespace

const QImage& HeadsArea::tile(int layer, int head) {
  const auto key = std::pair(layer, head);
  auto found = m_tiles.find(key);
  if (found == m_tiles.end()) {
    const auto map = viewedMap(m_look->maps, m_document->model().grid, m_seen, layer, head,
                               m_shared ? &*m_shared : nullptr);
    found = m_tiles.insert(key, map ? mapImage(*map, kSmoothPixels) : QImage());
  }
  return *found;
}

void HeadsArea::paintTile(QPainter& painter, int layer, int head) {
  const QRectF area = tileRect(layer, head);
  HeadTile shown;
  if (m_look) shown.map = tile(layer, head);
  shown.smooth = m_seen.smooth;
  const Grid& grid = m_document->model().grid;
  shown.rows = grid.rows;
  shown.cols = grid.cols;
  shown.queryPatch = m_seen.query - grid.prefix;
  if (m_look) shown.locality = localityOf(*m_look, layer, head);
  if (m_document->masks().contains(layer, head)) shown.mask = m_document->masks().at(layer, head);
  drawHeadTile(painter, area, shown, palette());
  if (layer == m_seen.layer && head == m_seen.head) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(palette().color(QPalette::Highlight), hasFocus() ? 3 : 2));
    painter.drawRect(area.adjusted(-2.5, -2.5, 2.5, 2.5));
  }
}

void HeadsArea::paintLabels(QPainter& painter) {
  const QColor ground = palette().color(QPalette::Window);
  QColor text = palette().color(QPalette::WindowText);
  const auto write = [&](const QRectF& area, int alignment, const QString& label, bool chosen) {
    text.setAlphaF(chosen ? 1.0f : 0.7f);
    painter.setPen(text);
    painter.drawText(area, alignment, label);
  };
  // Labels stay in place over tiles that are scrolled below them.
  for (int block = 0; block < m_arrangement.blocks; ++block)
    painter.fillRect(QRectF(block * blockWidth(), 0, labelWidth() - 4, viewport()->height()),
                     ground);
  for (int layer = 0; layer < layers(); ++layer) {
    const QRectF tile = tileRect(layer, -1);
    const double left = layer / m_arrangement.rows * blockWidth();
    write(QRectF(left, tile.top(), labelWidth() - kTileGap, tile.height()),
          Qt::AlignRight | Qt::AlignVCenter, tr("layer %1").arg(layer), layer == m_seen.layer);
  }
  painter.fillRect(QRectF(0, 0, viewport()->width(), headerHeight() - 3), ground);
  painter.setClipRect(QRectF(labelWidth() - 4, 0, viewport()->width(), headerHeight()));
  const QFontMetricsF metrics(font());
  for (int block = 0; block < m_arrangement.blocks; ++block)
    for (int head = -1; head + 1 < columns(); ++head) {
      const QRectF tile = tileRect(block * m_arrangement.rows, head);
      QString label = head < 0 ? tr("mean") : tr("head %1").arg(head);
      if (metrics.horizontalAdvance(label) > tile.width() + kTileGap - 2 && head >= 0)
        label = QString::number(head);
      write(QRectF(tile.left() - kTileGap / 2, 0, tile.width() + kTileGap, headerHeight() - 3),
            Qt::AlignCenter, label, head == m_seen.head);
    }
  painter.setClipping(false);
}

void HeadsArea::paintEvent(QPaintEvent* event) {
  QPainter painter(viewport());
  painter.fillRect(event->rect(), palette().color(QPalette::Window));
  if (layers() == 0) {
    painter.setPen(palette().color(QPalette::PlaceholderText));
    painter.drawText(viewport()->rect(), Qt::AlignCenter,
                     tr("Open a model and a picture to see every head."));
    return;
  }
  painter.setRenderHint(QPainter::Antialiasing);
  for (int layer = 0; layer < layers(); ++layer)
    for (int head = -1; head + 1 < columns(); ++head) {
      const QRectF area = tileRect(layer, head).adjusted(-4, -4, 4, captionHeight());
      if (exists(layer, head) && area.intersects(event->rect())) paintTile(painter, layer, head);
    }
  paintLabels(painter);
}

}  // namespace headlight
