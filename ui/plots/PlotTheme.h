#pragma once
// Colours of plots from the palette, light or dark, told apart by colour-blind eyes.

#include <QColor>
#include <QPalette>

class QCPGraph;
class QCustomPlot;

namespace headlight {

bool isDark(const QPalette& palette);
/// One of seven, Okabe and Ito's, lightened on a dark background.
QColor seriesColor(int index, const QPalette& palette);
/// Position in [0, 1] on a blue-to-yellow scale, kept readable on the background.
QColor sequenceColor(double position, const QPalette& palette);
/// Background, axes, grid, legend and fonts.
void applyPlotTheme(QCustomPlot* plot, const QPalette& palette, const QFont& font);

/// Training as measured (thin), training smoothed, and validation (with dots).
void applyTrainingPens(QCPGraph* raw, QCPGraph* smooth, QCPGraph* validation,
                       const QPalette& palette);

}  // namespace headlight
