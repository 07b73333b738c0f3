#pragma once
// What another way of looking shows, as a figure.

#include "ui/figures/FigureExport.h"

namespace headlight {

class WaysView;

/// The heatmap over the picture, feature colours, or the plot of the prediction by depth. Fails
/// while there is none.
Result<FigureRequest> captureWay(const Document& document, const WaysView& ways);

}  // namespace headlight
