// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/session/Objects.h"

#include <algorithm>
#include <cmath>

#include "core/models/Registry.h"
#include "core/workbench/session/Images.h"

namespace headlight {
namespace {

/// softmax(logits)[index]; 0 for what is no number.
float shareOf(const float* logits, std::size_t classes, std::size_t index) {
  const float highest = *std::max_element(logits, logits + classes);
  double sum = 0;
  for (std::size_t c = 0; c < classes; ++c)
    sum += std::exp(double{logits[c]} - highest);
  const double share = std::exp(double{logits[index]} - highest) / sum;
  return std::isfinite(share) ? static_cast<float>(share) : 0;
}

std::array<double, 4> cornersOf(const float* box) {
  const double x = box[0], y = box[1], width = box[2], height = box[3];
  return {x - width / 2, y - height / 2, x + width / 2, y + height / 2};
}

FoundObject objectOf(const float* logits, std::size_t classes, const float* box, int token,
                     const std::vector<std::string>& names) {
  const auto best =
      static_cast<std::size_t>(std::max_element(logits, logits + classes - 1) - logits);
  return {token, static_cast<int>(best), objectName(names, best), shareOf(logits, classes, best),
          cornersOf(box)};
}

}  // namespace

std::string objectName(const std::vector<std::string>& names, std::size_t index) {
  return index < names.size() ? names[index] : "class " + std::to_string(index);
}

bool detectsInCells(const ModelConfig& model) {
  return taskOf(model) == Task::Detect;
}

bool detectsObjects(const ModelConfig& model) {
  return model.layout.value("object_classes", 0) > 0 || detectsInCells(model);
}

const std::vector<std::string>& namesOfObjects(const ModelInfo& info) {
  return detectsInCells(info.experiment.model) ? info.classNames : info.objectNames;
}

std::vector<FoundObject> rankObjects(const std::vector<float>& logits,
                                     const std::vector<float>& boxes,
                                     const std::vector<std::string>& names) {
  const std::size_t tokens = boxes.size() / 4;
  std::vector<FoundObject> objects;
  if (tokens == 0 || logits.size() < 2 * tokens) return objects;
  const std::size_t classes = logits.size() / tokens;
  for (std::size_t t = 0; t < tokens; ++t)
    objects.push_back(objectOf(logits.data() + t * classes, classes, boxes.data() + 4 * t,
                               static_cast<int>(t), names));
  std::stable_sort(objects.begin(), objects.end(),
                   [](const auto& a, const auto& b) { return a.score > b.score; });
  return objects;
}

std::vector<FoundObject> objectsAbove(const std::vector<FoundObject>& objects, double threshold) {
  const auto end = std::find_if(objects.begin(), objects.end(),
                                [&](const auto& object) { return object.score < threshold; });
  return {objects.begin(), end};
}

std::array<double, 4> boxInView(const std::array<double, 4>& pixels, int imageWidth,
                                int imageHeight, const ModelConfig& model) {
  const auto [left, top, across, down] =
      evaluationRegion(imageWidth, imageHeight, makePreprocessing(model));
  return {(pixels[0] - left) / across, (pixels[1] - top) / down, (pixels[2] - left) / across,
          (pixels[3] - top) / down};
}

std::array<double, 4> boxInImage(const FoundObject& object, int imageWidth, int imageHeight,
                                 const ModelConfig& model) {
  const auto [left, top, across, down] =
      evaluationRegion(imageWidth, imageHeight, makePreprocessing(model));
  const auto& box = object.box;
  return {left + box[0] * across, top + box[1] * down, left + box[2] * across, top + box[3] * down};
}

}  // namespace headlight
