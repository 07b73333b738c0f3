// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a detector finds: from the numbers of its detection tokens (YOLOS) or cells (LCNet-ViT) to
// named boxes. No torch type here.

#include <array>
#include <string>
#include <vector>

#include "core/workbench/loading/ModelInfo.h"

namespace headlight {

struct FoundObject {
  /// Among the detection tokens, from 0; of a cell the token of the model's grid that it lies in.
  int token = 0;
  int index = 0;  ///< of its class
  std::string name;
  /// Its class's share of a softmax over all classes and "no object"; of a cell its sigmoid.
  float score = 0;
  /// Left, top, right, bottom in [0, 1] of what the model saw; may reach beyond it.
  std::array<double, 4> box{};
  int cell = -1;  ///< that found it, in the order of CellScores; −1: a detection token did
};

/// As transformers shows them: what scores less is left out.
inline constexpr double kDefaultObjectThreshold = 0.5;

/// Whether a model finds boxes, by detection tokens or by cells.
bool detectsObjects(const ModelConfig& model);
/// Whether it does so by cells (Task::Detect).
bool detectsInCells(const ModelConfig& model);
/// What its classes of objects are called; may be empty.
const std::vector<std::string>& namesOfObjects(const ModelInfo& info);

/// Of a class; "class 3" where there is none.
std::string objectName(const std::vector<std::string>& names, std::size_t index);

/// The likeliest class of each token but "no object", best score first. `logits`: [N, K + 1], "no
/// object" last; `boxes`: [N, 4], center x and y, width and height; `names` may be empty.
std::vector<FoundObject> rankObjects(const std::vector<float>& logits,
                                     const std::vector<float>& boxes,
                                     const std::vector<std::string>& names);

/// The first of them, best first, that score at least `threshold`.
std::vector<FoundObject> objectsAbove(const std::vector<FoundObject>& objects, double threshold);

/// Left, top, right, bottom in [0, 1] of what the model sees, of the same in pixels of the original
/// image; may reach beyond it.
std::array<double, 4> boxInView(const std::array<double, 4>& pixels, int imageWidth,
                                int imageHeight, const ModelConfig& model);

/// Left, top, right, bottom in pixels of the original image, of which the model saw a part.
std::array<double, 4> boxInImage(const FoundObject& object, int imageWidth, int imageHeight,
                                 const ModelConfig& model);

}  // namespace headlight
