// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a detector finds (YOLOS): from the numbers of its detection tokens to named boxes. No torch
// type here.

#include <array>
#include <string>
#include <vector>

#include "core/workbench/loading/ModelInfo.h"

namespace headlight {

struct FoundObject {
  int token = 0;  ///< among the detection tokens, from 0
  int index = 0;  ///< of its class
  std::string name;
  float score = 0;  ///< its class's share of a softmax over all classes and "no object"
  /// Left, top, right, bottom in [0, 1] of what the model saw; may reach beyond it.
  std::array<double, 4> box{};
};

/// As transformers shows them: what scores less is left out.
inline constexpr double kDefaultObjectThreshold = 0.5;

/// Whether a model has detection tokens with classes and boxes.
bool detectsObjects(const ModelConfig& model);

/// The likeliest class of each token but "no object", best score first. `logits`: [N, K + 1], "no
/// object" last; `boxes`: [N, 4], center x and y, width and height; `names` may be empty.
std::vector<FoundObject> rankObjects(const std::vector<float>& logits,
                                     const std::vector<float>& boxes,
                                     const std::vector<std::string>& names);

/// The first of them, best first, that score at least `threshold`.
std::vector<FoundObject> objectsAbove(const std::vector<FoundObject>& objects, double threshold);

/// Left, top, right, bottom in pixels of the original image, of which the model saw a part.
std::array<double, 4> boxInImage(const FoundObject& object, int imageWidth, int imageHeight,
                                 const ModelConfig& model);

}  // namespace headlight
