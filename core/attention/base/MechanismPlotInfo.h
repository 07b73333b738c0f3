// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a mechanism's own image is, in words. No torch type here.

#include <string>

namespace headlight {

enum class MechanismPlotKind {
  Matrix,   ///< rows are queries, columns are keys: the whole of it
  Kernel,   ///< rows and columns are offsets from the query, which is the middle
  Heatmap,  ///< a value for every patch, to be drawn over the image
  Curves,   ///< lines over the places of the query's window
};

/// What can be asked for.
struct MechanismPlotInfo {
  std::string name;     ///< as typed and stored: "position-weight"
  std::string title;    ///< "position biases e^w − 1"
  std::string meaning;  ///< what is drawn, exactly, in sentences
  std::string source;   ///< "Zhai et al. 2021, Fig. 3"
  MechanismPlotKind kind = MechanismPlotKind::Matrix;
  bool ofImage = false;   ///< differs from image to image: needs one
  bool ofToken = false;   ///< of one query token, which is a patch
  bool isSigned = false;  ///< diverging colors about 0
};

}  // namespace headlight
