// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Where all heads have their tiles and labels. Plain arithmetic, as if nothing were scrolled.

#include <QFontMetricsF>
#include <QPointF>
#include <QRect>
#include <QRectF>
#include <QSize>

#include <optional>
#include <utility>
#include <vector>

namespace headlight {

/// Tiles of one size, a row a layer, the mean of heads (−1) first; layers in blocks side by side.
class HeadsLayout {
 public:
  static constexpr double kTileGap = 8;

  /// All heads at one glance where that leaves them readable: layers in as many blocks as make the
  /// tiles largest. Else tiles that are easy to read, in as many blocks as the width has room for,
  /// to scroll down. `aspect`: a map's height over its width.
  void fit(const std::vector<int>& headsPerLayer, double aspect, const QSizeF& viewport,
           const QFontMetricsF& metrics);

  int layers() const { return static_cast<int>(m_heads.size()); }
  int columns() const;  ///< heads of the widest layer, and the mean
  bool exists(int layer, int head) const;
  int blocks() const { return m_blocks; }
  int rows() const { return m_rows; }  ///< layers of a block
  const QSizeF& tile() const { return m_tile; }
  QSizeF cell() const;  ///< a tile with its caption and the gap
  QSize content() const;
  double blockWidth() const;
  double captionHeight() const { return m_captionHeight; }
  double headerHeight() const { return m_headerHeight; }
  double labelWidth() const { return m_labelWidth; }

  /// The map part of a tile.
  QRectF tileRect(int layer, int head) const;
  /// (layer, head) under a point.
  std::optional<std::pair<int, int>> cellAt(const QPointF& position) const;
  /// The first and the last head, the mean as −1, that a row beginning at `left` has in sight: with
  /// hundreds of heads, looking at each would take longer than a frame.
  std::pair<int, int> headsWithin(double left, const QRect& sight) const;

 private:
  double widthFor(int blocks, const QSizeF& viewport) const;

  std::vector<int> m_heads;
  double m_captionHeight = 0, m_headerHeight = 0, m_labelWidth = 0;
  int m_blocks = 1, m_rows = 1;
  QSizeF m_tile;
};

}  // namespace headlight
