// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The tiles of a page of own images (MechanismPlotPages.h): panels and small plots, all of one
// size.

#include <string>
#include <vector>

#include "core/workbench/mechanisms/MechanismPlotPages.h"

namespace headlight {

/// On white, centerd; an empty image: white alone.
Image paddedTile(const Image& image, int width, int height);

/// Means of `side` × `side` entries, of those that are there; at the edges of what is left.
MechanismPlotPanel blockMeans(const MechanismPlotPanel& panel, int side);

/// The smallest part with all that is there, where that is not everything: the window of a
/// heatmap's query, and as much of `view` under it.
struct MechanismPlotPart {
  MechanismPlotPanel panel;
  Image view;
  bool cropped = false;
};
MechanismPlotPart cropToValues(const MechanismPlotPanel& panel, const Image& view);

/// What line has which color: "blue DS, vermilion B_i".
std::string plotLegend(const MechanismPlot& image);

/// Part of a figure's 64 million pixels; the rest is for labels.
inline constexpr std::int64_t kMostTilePixels = 48'000'000;

class MechanismPlotTiles {
 public:
  /// `target`: pixels of a tile's longer side, about. Where all tiles would have more than
  /// `mostPixels`, entries are averaged.
  MechanismPlotTiles(const MechanismPlot& image, const MechanismPlotStyle& style, int target,
                     const Image& view, std::int64_t mostPixels = kMostTilePixels);

  void addPanel(std::size_t panel) { m_panels.push_back(panel); }
  /// The lines of a layer's head, those that all heads share among them.
  void addCurves(int layer, int head, const ValueRange& range);

  /// In the order in which they were added.
  std::vector<Image> images();
  /// Entries along each side that a pixel is the mean of; known after images().
  int reduced() const { return m_reduced; }
  /// Whether some tile is a window alone; known after images().
  bool cropped() const { return m_cropped; }

 private:
  int reductionNeeded() const;
  Image heatmapTile(const MechanismPlotPanel& panel, const ValueRange& range);

  const MechanismPlot& m_image;
  const MechanismPlotStyle& m_style;
  int m_target;
  std::int64_t m_mostPixels;
  Image m_view;  ///< empty: none
  std::vector<std::size_t> m_panels;
  std::vector<Image> m_plots;
  int m_reduced = 1;
  bool m_cropped = false;
};

}  // namespace headlight
