// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The drawing of figures on white, whatever the device: pictures with maps are rastered at the
// device's resolution, all else is lines and real text.

#include <QPainter>

#include "ui/figures/FigureContent.h"

namespace headlight {

/// Width and height in units of 1/96 inch.
QSizeF figureSize(const FigureContent& content, double width);
/// `scale`: device pixels a unit, for what has to be rastered.
void paintFigure(QPainter& painter, const QSizeF& size, const FigureContent& content, double scale);

}  // namespace headlight
