// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/heads/HeadsLayout.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

#include "ui/heads/HeadTile.h"

namespace headlight {
namespace {

constexpr double kLeastTile = 40;     ///< smaller ones are not shown: scroll instead
constexpr double kReadableTile = 64;  ///< where scrolling is needed anyway
constexpr double kLargestTile = 132;
constexpr int kMostBlocks = 4;

}  // namespace

void HeadsLayout::fit(const std::vector<int>& headsPerLayer, double aspect, const QSizeF& viewport,
                      const QFontMetricsF& metrics) {
  m_heads = headsPerLayer;
  m_captionHeight = headCaptionHeight(metrics);
  m_headerHeight = metrics.height() + 8;
  const QString label =
      QCoreApplication::translate("HeadsLayout", "layer %1").arg(std::max(layers() - 1, 0));
  m_labelWidth = metrics.horizontalAdvance(label) + 2 * kTileGap;
  m_blocks = m_rows = 1;
  m_tile = {kReadableTile, kReadableTile};
  if (layers() == 0) return;
  m_rows = layers();
  double width = 0;
  for (int blocks = 1; blocks <= std::min(kMostBlocks, layers()); ++blocks) {
    const int rows = (layers() + blocks - 1) / blocks;
    if ((blocks - 1) * rows >= layers()) continue;  // the last would be empty
    const double byHeight =
        ((viewport.height() - m_headerHeight) / rows - m_captionHeight - kTileGap) / aspect;
    const double fitting = std::min({widthFor(blocks, viewport), byHeight, kLargestTile});
    if (fitting < width + 1) continue;
    width = fitting;
    m_blocks = blocks;
    m_rows = rows;
  }
  if (width < kLeastTile) {
    int blocks = 1;
    while (blocks < std::min(kMostBlocks, layers()) &&
           widthFor(blocks + 1, viewport) >= kReadableTile)
      ++blocks;
    m_rows = (layers() + blocks - 1) / blocks;
    m_blocks = (layers() + m_rows - 1) / m_rows;
    width = std::max(kLeastTile, std::min(widthFor(blocks, viewport), kReadableTile));
  }
  width = std::floor(width);
  m_tile = {width, std::max(8.0, std::floor(width * aspect))};
}

double HeadsLayout::widthFor(int blocks, const QSizeF& viewport) const {
  return (viewport.width() / blocks - m_labelWidth) / columns() - kTileGap;
}

int HeadsLayout::columns() const {
  return m_heads.empty() ? 0 : 1 + *std::max_element(m_heads.begin(), m_heads.end());
}

bool HeadsLayout::exists(int layer, int head) const {
  return layer >= 0 && layer < layers() && head >= -1 &&
         head < m_heads[static_cast<std::size_t>(layer)];
}

QSizeF HeadsLayout::cell() const {
  return {m_tile.width() + kTileGap, m_tile.height() + m_captionHeight + kTileGap};
}

double HeadsLayout::blockWidth() const {
  return m_labelWidth + columns() * cell().width();
}

QSize HeadsLayout::content() const {
  return {static_cast<int>(std::floor(m_blocks * blockWidth() - kTileGap)),
          static_cast<int>(std::floor(m_headerHeight + m_rows * cell().height() - kTileGap))};
}

QRectF HeadsLayout::tileRect(int layer, int head) const {
  const int block = layer / m_rows, row = layer % m_rows;
  return {QPointF(block * blockWidth() + m_labelWidth + (head + 1) * cell().width(),
                  m_headerHeight + row * cell().height()),
          m_tile};
}

std::optional<std::pair<int, int>> HeadsLayout::cellAt(const QPointF& position) const {
  if (layers() == 0) return {};
  const int block = static_cast<int>(position.x() / blockWidth());
  const double inBlock = position.x() - block * blockWidth() - m_labelWidth + kTileGap / 2;
  const int row = static_cast<int>((position.y() - m_headerHeight) / cell().height());
  if (inBlock < 0 || block >= m_blocks || row >= m_rows) return {};
  const int layer = block * m_rows + row;
  const int head = static_cast<int>(inBlock / cell().width()) - 1;
  if (!exists(layer, head)) return {};
  return std::pair(layer, head);
}

std::pair<int, int> HeadsLayout::headsWithin(double left, const QRect& sight) const {
  const double width = cell().width();
  const int first = static_cast<int>(std::floor((sight.left() - left) / width)) - 1;
  const int last = static_cast<int>(std::floor((sight.right() - left) / width)) - 1;
  return {std::max(first - 1, -1), std::min(last, columns() - 2)};
}

}  // namespace headlight
