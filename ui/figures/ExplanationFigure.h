// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// An explanation as a figure.

#include "ui/figures/FigureExport.h"

namespace headlight {

class CompareSides;
class ExplanationView;

/// The heatmap over the image, the feature colors, or the plot of the logit lens. Fails while there
/// is none.
Result<FigureRequest> captureExplanation(const Document& document,
                                         const ExplanationView& explanations);

/// The same for both sides of a comparison, with their difference if it is shown.
Result<FigureRequest> captureComparedExplanations(const CompareSides& sides);

}  // namespace headlight
