#pragma once
// The prediction after every layer, as curves.

namespace headlight {

class Document;
class RunCurvesPlot;
class WaysBridge;

/// What the bridge found, in the plot; why there is nothing, else.
void showDepth(RunCurvesPlot& plot, const Document& document, const WaysBridge& bridge);

}  // namespace headlight
