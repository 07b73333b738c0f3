// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The appearance of plots: colors from the palette, light or dark.

#include <QPalette>

class QCPGraph;
class QCustomPlot;

namespace headlight {

/// Background, axes, grid, legend and fonts.
void applyPlotTheme(QCustomPlot* plot, const QPalette& palette, const QFont& font);

/// Training as measured (thin), training smoothed, and validation (with dots).
void applyTrainingPens(QCPGraph* raw, QCPGraph* smooth, QCPGraph* validation,
                       const QPalette& palette);

}  // namespace headlight
