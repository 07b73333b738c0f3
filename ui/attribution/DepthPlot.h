// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The prediction after every layer, as curves.

namespace headlight {

class Document;
class RunCurvesPlot;
class ExplanationBridge;

/// What the bridge found, in the plot; why there is nothing, else. `beside`: what another plot
/// shows, whose classes keep their colours here.
void showDepth(RunCurvesPlot& plot, const Document& document, const ExplanationBridge& bridge,
               const ExplanationBridge* beside = nullptr);

}  // namespace headlight
