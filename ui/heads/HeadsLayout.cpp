// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/heads/HeadsLayout.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

#include "ui/heads/HeadTile.h"

namespace headlight {
namespace {

constexpr double kWideGap = 8, kNarrowGap = 3;
constexpr double kLeastCaptioned = 40;  ///< narrower tiles have no room for their number
constexpr double kLeastTile = 10;       ///< smaller ones show nothing: scroll instead
constexpr double kReadableTile = 64;    ///< where scrolling is needed anyway
constexpr double kFoldedLayerGap = 6;   ///< between layers that take several lines
constexpr double kWorthFolding = 1.25;  ///< columns of one head are given up for this much
constexpr int kMostLines = 3;           ///< of a folded layer
constexpr int kMostBlocks = 24;         ///< narrower ones have no room for a tile

}  // namespace

void HeadsLayout::fit(const std::vector<int>& headsPerLayer, double aspect, const QSizeF& viewport,
                      const QFontMetricsF& metrics) {
  m_heads = headsPerLayer;
  m_places.clear();
  m_blocks = m_rows = m_perLine = 1;
  m_tile = {kReadableTile, kReadableTile};
  setDensity(/*captions=*/true, metrics);
  if (layers() == 0) return;
  Arrangement best = largest(aspect, viewport);
  if (best.width < kLeastCaptioned) {
    setDensity(/*captions=*/false, metrics);
    best = largest(aspect, viewport);
  }
  if (best.width < kLeastTile) {
    setDensity(/*captions=*/true, metrics);
    best = scrolled(viewport);
  }
  m_places = std::move(best.places);
  m_perLine = best.perLine;
  m_blocks = best.blocks;
  m_rows = best.rows;
  m_most = best.most;
  const double width = std::floor(best.width);
  m_tile = {width, std::max(std::min(8.0, width), std::floor(width * aspect))};
}

void HeadsLayout::setDensity(bool captions, const QFontMetricsF& metrics) {
  m_gap = captions ? kWideGap : kNarrowGap;
  m_captionHeight = captions ? headCaptionHeight(metrics) : 0;
  m_headerHeight = metrics.height() + (captions ? 8 : 4);
  const QString label = QCoreApplication::translate("HeadsLayout", "layer %1");
  m_labelWidth = metrics.horizontalAdvance(
                     (captions ? label : QStringLiteral("%1")).arg(std::max(layers() - 1, 0))) +
                 2 * m_gap;
}

// ---- Arrangements ------------------------------------------------------------------------------

int HeadsLayout::linesOf(int layer, int perLine) const {
  return (m_heads[static_cast<std::size_t>(layer)] + perLine) / perLine;  // rounded up, with mean
}

double HeadsLayout::foldedGap(int perLine) const {
  return perLine < columns() ? kFoldedLayerGap : 0;
}

/// Whether blocks of at most `capacity` lines suffice.
bool HeadsLayout::place(Arrangement& into, int capacity, int blocks) const {
  into.places.clear();
  into.rows = into.most = 0;
  Place next;
  for (int layer = 0; layer < layers(); ++layer) {
    const int lines = linesOf(layer, into.perLine);
    if (next.line > 0 && next.line + lines > capacity) next = {next.block + 1, 0, 0};
    into.places.push_back(next);
    next.line += lines;
    ++next.before;
    into.rows = std::max(into.rows, next.line);
    into.most = std::max(into.most, next.before);
  }
  into.blocks = next.block + 1;
  return into.blocks <= blocks;
}

/// The lowest blocks that hold all layers.
HeadsLayout::Arrangement HeadsLayout::arranged(int perLine, int blocks) const {
  Arrangement arrangement;
  arrangement.perLine = perLine;
  int all = 0;
  for (int layer = 0; layer < layers(); ++layer)
    all += linesOf(layer, perLine);
  int capacity = (all + blocks - 1) / blocks;
  while (!place(arrangement, capacity, blocks))
    ++capacity;
  return arrangement;
}

double HeadsLayout::widthFor(const Arrangement& arrangement, double aspect,
                             const QSizeF& viewport) const {
  const double byWidth =
      (viewport.width() / arrangement.blocks - m_labelWidth) / arrangement.perLine - m_gap;
  const double height =
      viewport.height() - m_headerHeight - arrangement.most * foldedGap(arrangement.perLine);
  const double byHeight = (height / arrangement.rows - m_captionHeight - m_gap) / aspect;
  return std::min(byWidth, byHeight);
}

HeadsLayout::Arrangement HeadsLayout::largest(double aspect, const QSizeF& viewport) const {
  Arrangement best;
  double bestWorth = -HUGE_VAL;
  for (int lines = 1; lines <= std::min(kMostLines, columns()); ++lines)
    for (int blocks = 1; blocks <= std::min(kMostBlocks, layers()); ++blocks) {
      Arrangement arrangement = arranged((columns() + lines - 1) / lines, blocks);
      arrangement.width = widthFor(arrangement, aspect, viewport);
      const double worth = arrangement.width / (lines > 1 ? kWorthFolding : 1);
      if (worth < bestWorth + 1) continue;  // the fewest blocks of those that are alike
      bestWorth = worth;
      best = std::move(arrangement);
    }
  return best;
}

/// Readable tiles, in as many blocks as the width has room for.
HeadsLayout::Arrangement HeadsLayout::scrolled(const QSizeF& viewport) const {
  const auto byWidth = [&](int blocks) {
    return (viewport.width() / blocks - m_labelWidth) / columns() - m_gap;
  };
  int blocks = 1;
  while (blocks < layers() && byWidth(blocks + 1) >= kReadableTile)
    ++blocks;
  Arrangement arrangement = arranged(columns(), blocks);
  arrangement.width =
      std::max(kLeastCaptioned, std::min(byWidth(arrangement.blocks), kReadableTile));
  return arrangement;
}

// ---- Positions ---------------------------------------------------------------------------------

int HeadsLayout::columns() const {
  return m_heads.empty() ? 0 : 1 + *std::max_element(m_heads.begin(), m_heads.end());
}

bool HeadsLayout::exists(int layer, int head) const {
  return layer >= 0 && layer < layers() && head >= -1 &&
         head < m_heads[static_cast<std::size_t>(layer)];
}

QSizeF HeadsLayout::cell() const {
  return {m_tile.width() + m_gap, m_tile.height() + m_captionHeight + m_gap};
}

double HeadsLayout::blockWidth() const {
  return m_labelWidth + m_perLine * cell().width();
}

QSize HeadsLayout::content() const {
  const double height = m_rows * cell().height() + m_most * foldedGap(m_perLine) - m_gap;
  return {static_cast<int>(std::ceil(m_blocks * blockWidth() - m_gap)),
          static_cast<int>(std::ceil(m_headerHeight + height))};
}

int HeadsLayout::blockOf(int layer) const {
  return m_places[static_cast<std::size_t>(layer)].block;
}

QRectF HeadsLayout::columnRect(int block, int head) const {
  return {
      QPointF(block * blockWidth() + m_labelWidth + (head + 1) * cell().width(), m_headerHeight),
      m_tile};
}

QRectF HeadsLayout::tileRect(int layer, int head) const {
  const Place& at = m_places[static_cast<std::size_t>(layer)];
  const int line = at.line + (head + 1) / m_perLine, column = (head + 1) % m_perLine;
  return {QPointF(at.block * blockWidth() + m_labelWidth + column * cell().width(),
                  m_headerHeight + line * cell().height() + at.before * foldedGap(m_perLine)),
          m_tile};
}

QRectF HeadsLayout::layerRect(int layer) const {
  const QSizeF size(m_perLine * cell().width() - m_gap,
                    linesOf(layer, m_perLine) * cell().height() - m_gap);
  return {tileRect(layer, -1).topLeft(), size};
}

std::optional<std::pair<int, int>> HeadsLayout::cellAt(const QPointF& position) const {
  for (int layer = 0; layer < layers(); ++layer) {
    const QRectF area = layerRect(layer).adjusted(-m_gap / 2, 0, m_gap / 2, m_gap);
    if (!area.contains(position)) continue;
    const int line = static_cast<int>((position.y() - area.top()) / cell().height());
    const int column = static_cast<int>((position.x() - area.left()) / cell().width());
    const int head = line * m_perLine + std::min(column, m_perLine - 1) - 1;
    if (!exists(layer, head)) return {};
    return std::pair(layer, head);
  }
  return {};
}

std::pair<int, int> HeadsLayout::headsWithin(double left, const QRect& sight) const {
  if (isFolded()) return {-1, columns() - 2};
  const double width = cell().width();
  const int first = static_cast<int>(std::floor((sight.left() - left) / width)) - 1;
  const int last = static_cast<int>(std::floor((sight.right() - left) / width)) - 1;
  return {std::max(first - 1, -1), std::min(last, columns() - 2)};
}

}  // namespace headlight
