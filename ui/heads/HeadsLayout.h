// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The positions of all heads' tiles and labels. Plain arithmetic, as if nothing were scrolled.

#include <QFontMetricsF>
#include <QPointF>
#include <QRect>
#include <QRectF>
#include <QSize>

#include <optional>
#include <utility>
#include <vector>

namespace headlight {

/// Tiles of one size, the mean of heads (−1) first in its layer. A layer takes a line, or several
/// where that makes tiles much larger; layers go down in blocks side by side.
class HeadsLayout {
 public:
  /// All heads at one glance, their tiles as large as the viewport has room for: with the number
  /// below each where that leaves them readable, else without. Where even small tiles would not
  /// fit, readable ones to scroll down. `aspect`: a map's height over its width.
  void fit(const std::vector<int>& headsPerLayer, double aspect, const QSizeF& viewport,
           const QFontMetricsF& metrics);

  int layers() const { return static_cast<int>(m_heads.size()); }
  int columns() const;  ///< heads of the widest layer, and the mean
  bool exists(int layer, int head) const;
  int blocks() const { return m_blocks; }
  int rows() const { return m_rows; }  ///< lines of the longest block
  /// Layers take several lines, so that a column is not of one head.
  bool isFolded() const { return m_perLine < columns(); }
  bool hasCaptions() const { return m_captionHeight > 0; }
  const QSizeF& tile() const { return m_tile; }
  double gap() const { return m_gap; }
  QSizeF cell() const;  ///< a tile with its caption and the gap
  QSize content() const;
  double blockWidth() const;
  double captionHeight() const { return m_captionHeight; }
  double headerHeight() const { return m_headerHeight; }
  double labelWidth() const { return m_labelWidth; }
  int blockOf(int layer) const;

  /// The place of a head's tile in the first line of a block, where layers are not folded.
  QRectF columnRect(int block, int head) const;
  /// The map part of a tile.
  QRectF tileRect(int layer, int head) const;
  /// All tiles of a layer, with the captions.
  QRectF layerRect(int layer) const;
  /// (layer, head) under a point.
  std::optional<std::pair<int, int>> cellAt(const QPointF& position) const;
  /// The first and the last head, the mean as −1, that a row beginning at `left` has in sight: with
  /// hundreds of heads, looking at each would take longer than a frame. All where it is folded.
  std::pair<int, int> headsWithin(double left, const QRect& sight) const;

 private:
  struct Place {
    int block = 0, line = 0, before = 0;  ///< layers of the block before it
  };
  struct Arrangement {
    int perLine = 1, blocks = 1, rows = 1, most = 0;  ///< layers of the fullest block
    double width = 0;                                 ///< of a tile
    std::vector<Place> places;
  };
  void setDensity(bool captions, const QFontMetricsF& metrics);
  int linesOf(int layer, int perLine) const;
  Arrangement arranged(int perLine, int blocks) const;
  bool place(Arrangement& into, int capacity, int blocks) const;
  double widthFor(const Arrangement& arrangement, double aspect, const QSizeF& viewport) const;
  double foldedGap(int perLine) const;
  Arrangement largest(double aspect, const QSizeF& viewport) const;
  Arrangement scrolled(const QSizeF& viewport) const;

  std::vector<int> m_heads;
  std::vector<Place> m_places;
  double m_captionHeight = 0, m_headerHeight = 0, m_labelWidth = 0, m_gap = 8;
  int m_blocks = 1, m_rows = 1, m_most = 0, m_perLine = 1;
  QSizeF m_tile;
};

}  // namespace headlight
