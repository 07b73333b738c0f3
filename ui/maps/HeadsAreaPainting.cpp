// HeadsArea's tiles and labels.

#include <QPainter>

#include <algorithm>
#include <cmath>

#include "ui/document/HeadValues.h"
#include "ui/maps/HeadTile.h"
#include "ui/maps/HeadsGrid.h"
#include "ui/maps/ViewedMap.h"

namespace headlight {
namespace {

constexpr int kSmoothPixels = 6;  ///< a patch's side in a smooth thumbnail, at most

}  // namespace

const QImage& HeadsArea::tile(int layer, int head) {
  const auto key = std::pair(layer, head);
  auto found = m_tiles.find(key);
  if (found == m_tiles.end()) {
    const auto map = tileMap(shownMaps(*m_look, m_seen), m_document->model().grid, m_seen, layer,
                             head, m_shared ? &*m_shared : nullptr);
    // No more than the screen shows: a grid of 56 × 56 has enough without smoothing.
    const double shown = m_arrangement.tile.width() * devicePixelRatioF();
    const int pixels =
        map ? std::clamp(static_cast<int>(std::ceil(shown / map->cols)), 1, kSmoothPixels) : 1;
    QImage picture = map ? mapImage(*map, pixels) : QImage();
    // Fewer pixels than patches: averaged, so that no patch falls between two pixels.
    const QSize room = (m_arrangement.tile * devicePixelRatioF()).toSize();
    if (picture.width() > room.width() || picture.height() > room.height())
      picture = picture.scaled(room, Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
    found = m_tiles.insert(key, picture);
  }
  return *found;
}

std::pair<int, int> HeadsArea::headsWithin(double left, const QRect& sight) const {
  const double width = cellSize().width();
  const int first = static_cast<int>(std::floor((sight.left() - left) / width)) - 1;
  const int last = static_cast<int>(std::floor((sight.right() - left) / width)) - 1;
  return {std::max(first - 1, -1), std::min(last, columns() - 2)};
}

void HeadsArea::paintTile(QPainter& painter, int layer, int head) {
  const QRectF area = tileRect(layer, head);
  HeadTile shown;
  if (m_look) shown.map = tile(layer, head);
  static const AttentionMaps kNone;
  const AttentionMaps& maps = m_look ? shownMaps(*m_look, m_seen) : kNone;
  shown.smooth = m_look && drawnSmooth(maps, m_seen, layer);
  // Where patches were merged, the merged one looks.
  const TileCells cells = tileCells(maps, m_document->model().grid, m_seen.query, layer);
  shown.rows = cells.rows;
  shown.cols = cells.cols;
  shown.queryPatch = cells.queryPatch;
  // Locality and mask are of attention, not of what was learned for every picture.
  const bool learned = shownLearned(m_look.get(), m_seen);
  if (m_look && !learned) shown.locality = headValue(m_look->locality, layer, head);
  if (!learned && m_document->masks().contains(layer, head))
    shown.mask = m_document->masks().at(layer, head);
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
  // All in words, or all as numbers.
  const double longest = QFontMetricsF(font()).horizontalAdvance(tr("head %1").arg(columns() - 2));
  const bool words = longest <= m_arrangement.tile.width() + kTileGap - 2;
  for (int block = 0; block < m_arrangement.blocks; ++block) {
    const double left = tileRect(block * m_arrangement.rows, -1).left();
    const auto [first, last] = headsWithin(left, viewport()->rect());
    for (int head = first; head <= last; ++head) {
      const QRectF tile = tileRect(block * m_arrangement.rows, head);
      const QString label = head < 0 ? tr("mean")
                            : words  ? tr("head %1").arg(head)
                                     : QString::number(head);
      write(QRectF(tile.left() - kTileGap / 2, 0, tile.width() + kTileGap, headerHeight() - 3),
            Qt::AlignCenter, label, head == m_seen.head);
    }
  }
  painter.setClipping(false);
}

void HeadsArea::paintEvent(QPaintEvent* event) {
  const double ratio = devicePixelRatioF();
  if (ratio != m_tileRatio) m_tiles.clear();  // moved to another screen
  m_tileRatio = ratio;
  QPainter painter(viewport());
  painter.fillRect(event->rect(), palette().color(QPalette::Window));
  if (layers() == 0) {
    painter.setPen(palette().color(QPalette::PlaceholderText));
    painter.drawText(viewport()->rect(), Qt::AlignCenter,
                     tr("Open a model and a picture to see every head."));
    return;
  }
  painter.setRenderHint(QPainter::Antialiasing);
  for (int layer = 0; layer < layers(); ++layer) {
    const QRectF mean = tileRect(layer, -1).adjusted(-4, -4, 4, captionHeight());
    if (mean.bottom() < event->rect().top() || mean.top() > event->rect().bottom()) continue;
    const auto [first, last] = headsWithin(mean.left(), event->rect());
    for (int head = first; head <= last && exists(layer, head); ++head)
      paintTile(painter, layer, head);
  }
  paintLabels(painter);
}

}  // namespace headlight
