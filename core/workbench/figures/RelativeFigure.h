// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Mean attention by relative position as images: a tile a head, a row a layer. The same tiles in
// the window, in figures and in what commands write. No torch type here.

#include <filesystem>
#include <string>

#include "core/imaging/ColorMap.h"
#include "core/imaging/codecs/Image.h"
#include "core/workbench/attribution/RelativeMaps.h"

namespace headlight {

struct RelativeStyle {
  ColorMap colorMap = ColorMap::Viridis;  ///< signed numbers and ratios are in diverging colors
  bool oneScale = false;                  ///< for all heads of all layers; else each its own
  std::string subject = {};               ///< whose, for the title: "deit_tiny, masks none"
};

/// The colors that numbers of this scale have in this style.
ColorMap relativeColors(const RelativeMaps& maps, const RelativeStyle& style);
/// What the colors of a head run over. Of ratios: their logarithms to base 2.
ValueRange relativeRange(const RelativeMaps& maps, int layer, int head, const RelativeStyle& style);
/// An image of width × height pixels with one block per offset; mid-gray where there is no number.
Image relativeTile(const RelativeMaps& maps, int layer, int head, const RelativeStyle& style,
                   int width, int height);
/// What a head's own colors run over: "0.0123", its greatest, or "-0.2 to 0.2"; "no number" where
/// it has none.
std::string relativeEndsText(const RelativeMaps& maps, int layer, int head);
/// "colors from 0 to each head's greatest": what the ends of the colors stand for.
std::string relativeScaleText(const RelativeMaps& maps, const RelativeStyle& style);
/// What is to be said below the tiles: of what, of how many images, scale, what a map is.
std::string relativeCaption(const RelativeMaps& maps, const RelativeStyle& style);

/// Whether writeRelativeFigure knows what to write; InvalidArgument.
Result<void> checkRelativeFigureName(const std::filesystem::path& path);
/// .pdf or .svg with real text, .png at twice the size, or the numbers as .csv. Errors: another
/// name, a file that cannot be written.
Result<void> writeRelativeFigure(const std::filesystem::path& path, const RelativeMaps& maps,
                                 const RelativeStyle& style);

}  // namespace headlight
