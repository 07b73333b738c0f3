// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/session/DetectorAnswer.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "core/models/detection/FoundInCells.h"
#include "core/workbench/session/ModelPass.h"

namespace headlight {
namespace {

/// The token of `grid` that a cell's center lies in.
int tokenAt(float x, float y, const ModelConfig& model) {
  const Grid grid = model.grid();
  const auto along = [](float at, int pixels, int tokens) {
    return std::clamp(static_cast<int>(at * static_cast<float>(tokens) / pixels), 0, tokens - 1);
  };
  return along(y, model.imageHeightPixels(), grid.rows) * grid.cols +
         along(x, model.imageWidthPixels(), grid.cols);
}

FoundObject objectOf(const CellBox& found, const at::Tensor& centers, const ModelConfig& model,
                     const std::vector<std::string>& names) {
  const double width = model.imageWidthPixels(), height = model.imageHeightPixels();
  const float* center = centers.data_ptr<float>() + 2 * found.cell;
  const PixelBox& box = found.box;
  return {
      tokenAt(center[0], center[1], model),
      found.label,
      objectName(names, static_cast<std::size_t>(found.label)),
      static_cast<float>(found.score),
      {box.x / width, box.y / height, (box.x + box.width) / width, (box.y + box.height) / height},
      static_cast<int>(found.cell)};
}

/// Center x and y, width and height in [0, 1], of left, top, right and bottom in pixels.
at::Tensor sharesOf(const at::Tensor& boxes, const ModelConfig& model) {
  const at::Tensor from = boxes.narrow(-1, 0, 2), to = boxes.narrow(-1, 2, 2);
  const at::Tensor size =
      at::tensor({model.imageWidthPixels(), model.imageHeightPixels()}, boxes.options());
  return at::cat({(from + to) / 2 / size, (to - from) / size}, -1);
}

DetectorAnswer answerOfCells(const CellScores& scores, const ModelConfig& model,
                             const std::vector<std::string>& names) {
  DetectorAnswer answer{scores.logits, sharesOf(cellBoxes(scores), model), {}};
  const at::Tensor centers = cellCenters(scores.levels);
  for (const auto& found : findBoxes(scores, model.imageHeightPixels(), model.imageWidthPixels())) {
    auto& objects = answer.objects.emplace_back();
    for (const CellBox& box : found)
      objects.push_back(objectOf(box, centers, model, names));
  }
  return answer;
}

}  // namespace

DetectorAnswer answerOf(Model& model, const at::Tensor& tokens,
                        const std::vector<std::string>& names) {
  const CellScores scores = model.findInCells(tokens);
  if (scores.defined()) return answerOfCells(scores, model.config(), names);
  const ObjectScores found = model.findObjects(tokens);
  DetectorAnswer answer{found.logits, found.boxes, {}};
  if (!found.logits.defined()) return answer;
  for (std::int64_t i = 0; i < found.logits.size(0); ++i)
    answer.objects.push_back(
        rankObjects(plainValues(found.logits[i]), plainValues(found.boxes[i]), names));
  return answer;
}

}  // namespace headlight
