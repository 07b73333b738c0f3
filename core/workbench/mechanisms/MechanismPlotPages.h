// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How a mechanism's own images are drawn: the same in the window, in figures and in what commands
// write. No torch type here.

#include <string>
#include <vector>

#include "core/imaging/ColorMap.h"
#include "core/imaging/drawing/CurvePlot.h"
#include "core/workbench/mechanisms/MechanismPlots.h"

namespace headlight {

struct MechanismPlotStyle {
  ColorMap colorMap = ColorMap::Viridis;  ///< signed images are Diverging, about 0
  bool sharedScale = false;               ///< one for all panels, instead of each its own
  double opacity = 0.6;                   ///< of a Heat over the image
  bool smooth = false;                    ///< a Heat blended between patches; nothing else is
  int tile = 0;                           ///< pixels of a panel's longer side on a page; 0: as fits
  int layer = -1, head = -1;              ///< those alone; −1: all
};

/// The panels that the style asks for, as indices into MechanismPlot::panels.
std::vector<std::size_t> plotChosen(const MechanismPlot& image, const MechanismPlotStyle& style);

/// For one panel, or with sharedScale for all chosen ones; symmetric about 0 if signed.
ValueRange plotRange(const MechanismPlot& image, std::size_t panel,
                     const MechanismPlotStyle& style);
/// The colors that it is drawn in.
ColorMap plotColors(const MechanismPlotInfo& info, const MechanismPlotStyle& style);

/// One panel, its longer side about `pixels`. A matrix or kernel has a whole number of pixels for
/// an entry, one at least, so that nothing of it is left out, and may so become larger than asked.
/// A heatmap lies over `view` (what the model saw), or is blocks where that is empty. NaN is gray.
/// Errors: no such panel; more than 64 megapixels.
Result<Image> plotPanelImage(const MechanismPlot& image, std::size_t panel,
                             const MechanismPlotStyle& style, int pixels, const Image& view = {});

/// All chosen panels or curves with labels, scale, and what is drawn: a row a layer, broken where
/// it has very many heads. `subject`: of what, in the title ("bus.jpg", "aft_conv_tiny_11_32").
/// Where one pixel for an entry would be too many in all, a pixel is the mean of several, and the
/// page says so. Errors: nothing is chosen; more than 64 megapixels even so.
Result<Image> plotPage(const MechanismPlot& image, const std::string& subject,
                       const MechanismPlotStyle& style, const Image& view = {});

/// The same as a drawing (SVG, PDF), tiles as images and all else as text.
Result<Drawing> plotPageDrawing(const MechanismPlot& image, const std::string& subject,
                                const MechanismPlotStyle& style, const Image& view = {});

/// The lines of one layer's head, for plots of one's own.
std::vector<PlottedCurve> plotCurves(const MechanismPlot& image, int layer, int head);
/// The same as a drawing (SVG, PDF, PNG: writeDrawing). Of heads that share some lines (LSLA's DS)
/// those are in every plot.
Drawing curvesDrawing(const MechanismPlot& image, int layer, int head);

/// layer,head,row,column,value, or layer,head,curve,place,value; a head that all share and a value
/// that is not there are empty.
std::string plotCsv(const MechanismPlot& image);
/// "NAME.L" [H, rows, cols] of every layer (H is 1 where heads share it); of curves
/// "NAME.CURVE.L" [H, places].
std::vector<RawArray> plotArrays(const MechanismPlot& image);
/// Title, meaning, note and the panels' or curves' numbers.
Json mechanismPlotJson(const MechanismPlot& image);

}  // namespace headlight
