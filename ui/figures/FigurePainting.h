// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Draws figures on white for any device: images with maps are rastered at the device's resolution,
// everything else is vector lines and text.

#include <QPainter>

#include "ui/figures/FigureContent.h"

namespace headlight {

/// Width and height in units of 1/96 inch.
QSizeF figureSize(const FigureContent& content, double width);
/// `scale`: device pixels per unit, for rastered parts.
void paintFigure(QPainter& painter, const QSizeF& size, const FigureContent& content, double scale);

}  // namespace headlight
