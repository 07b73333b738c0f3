// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The logit lens: the prediction after every layer, as curves.

namespace headlight {

class Document;
class RunCurvesPlot;
class ExplanationBridge;

/// Plots the bridge's result, or shows why there is none. `beside`: the curves of another plot,
/// whose classes keep their colors here.
void showDepth(RunCurvesPlot& plot, const Document& document, const ExplanationBridge& bridge,
               const ExplanationBridge* beside = nullptr);

}  // namespace headlight
