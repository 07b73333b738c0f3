// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What another way of looking shows, as a figure.

#include "ui/figures/FigureExport.h"

namespace headlight {

class CompareSides;
class ExplanationView;

/// The heatmap over the picture, feature colours, or the plot of the prediction by depth. Fails
/// while there is none.
Result<FigureRequest> captureExplanation(const Document& document, const ExplanationView& ways);

/// The same of both sides of a comparison, with their difference where there is one and it is
/// shown.
Result<FigureRequest> captureComparedExplanations(const CompareSides& sides);

}  // namespace headlight
