// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The images that a mechanism alone has, beside the maps that all have: AFT's position biases and
// keys (Zhai et al. 2021, Fig. 1, 3 and 6 to 12), IBiT's learned mask and the filter that it is
// (§6.1, Fig. 6), LSLA's attention before and after its outer bias, and the lines of its Fig. 4.
// What each shows, exactly: resources/help/mechanisms.md. How they are drawn: MechanismPlotPages.h.
// No torch type here. All block their caller's thread, and the session with it.

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/attention/base/MechanismPlotInfo.h"
#include "core/base/Progress.h"
#include "core/workbench/session/InferenceSession.h"
#include "core/workbench/session/RawTensors.h"

namespace headlight {

/// What the mechanism of this model offers, in the order in which programs list it: of all layers
/// together, as a model has one mechanism. Empty for most (softmax attention), and for maps alone.
std::vector<MechanismPlotInfo> mechanismPlots(InferenceSession& session);

/// One layer's head, as numbers.
struct MechanismPlotPanel {
  int layer = 0;
  int head = -1;  ///< −1: all heads share it
  int rows = 0, cols = 0;
  std::vector<float> values;  ///< [rows × cols], row-major; NaN: nothing is there
};

/// One line of one layer's head, over the places of the query's window, row by row from 0.
struct MechanismPlotCurve {
  int layer = 0;
  int head = -1;              ///< −1: all heads share it
  std::string name;           ///< "DS", "B_i"
  int query = 0;              ///< the query's own place
  std::vector<float> values;  ///< one a place; NaN: the query does not see it
};

/// What was asked for. Panels or curves, never both; by layer, then by head (curves: all names of a
/// head together).
struct MechanismPlot {
  MechanismPlotInfo info;
  std::vector<MechanismPlotPanel> panels;
  std::vector<MechanismPlotCurve> curves;
  int token = -1;         ///< of which query, on the model's grid; −1: of all
  std::string tokenText;  ///< "patch (4, 7)"; empty: of all
  std::string note;       ///< what must be said of it; often empty

  std::vector<int> layers() const;          ///< that have anything
  std::vector<int> heads(int layer) const;  ///< of it; {−1} where they share it
};

struct MechanismPlotRequest {
  std::optional<RawImages> image = std::nullopt;   ///< where MechanismPlotInfo::ofImage
  std::optional<MaskScheme> masks = std::nullopt;  ///< of that pass; none: the experiment's
  int token = -1;  ///< where ofToken, on the model's grid; −1: the middle patch
  int layer = -1;  ///< −1: all
};

/// Errors: InvalidArgument for a name that this model does not have (lists those it has), no
/// image where one is needed or one of another size, a layer or token that there is not, a class
/// token where a patch is needed; Canceled; a scheme of another shape.
Result<MechanismPlot> mechanismPlot(InferenceSession& session, const std::string& name,
                                    const MechanismPlotRequest& request = {},
                                    const ProgressCallback& progress = {},
                                    std::stop_token stop = {});

/// "layer 3, head 1"; "layer 3" where all heads share it.
std::string plotPlaceText(int layer, int head);
/// "position biases e^w − 1", "attention before B_o of the patch (4, 7)".
std::string plotTitle(const MechanismPlot& image);

}  // namespace headlight
