// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A composed figure as a drawing, for SVG and PDF: tiles as images, all else as real text.

#include "core/imaging/drawing/Drawing.h"
#include "core/imaging/drawing/Figure.h"

namespace headlight {

/// What composeFigure() draws, a unit a pixel of a tile. Failure as there: no tiles, or tiles of
/// different sizes.
Drawing drawGrid(const FigureGrid& grid);

}  // namespace headlight
