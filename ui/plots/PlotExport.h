// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A plot as a file, for a paper, and its numbers.

#include <QString>

#include "core/base/Result.h"

class QCustomPlot;

namespace headlight {

/// Every value of the plot as CSV: "line,step,value", or a map's cells as "head,layer,ALS".
QString plotData(QCustomPlot& plot);

/// The plot in its present size: .png (twice the pixels), .svg or .pdf with real text, on
/// white whatever the theme; or its numbers, .csv. Errors: another name, a file that cannot be
/// written.
Result<void> writePlot(QCustomPlot& plot, const QString& path);

}  // namespace headlight
