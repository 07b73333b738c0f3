// SPDX-License-Identifier: GPL-3.0-or-later

// COCO's annotations and results. What is read must be fit to be measured.

#include <cmath>

#include "core/workbench/detection/BoxReport.h"
#include "tests/fuzz/Bounds.h"
#include "tests/fuzz/readers/Target.h"

namespace headlight::fuzz {
namespace {

constexpr const char* kTruth = R"({"info": {"year": 2017}, "images": [
  {"id": 4, "file_name": "a.png", "width": 60, "height": 60},
  {"id": 9, "file_name": "b.png", "width": 100, "height": 50}],
  "annotations": [
  {"id": 1, "image_id": 9, "category_id": 20, "bbox": [1, 2.5, 30, 40], "area": 700.5, "iscrowd": 0,
   "segmentation": [[1, 2, 3, 4, 5, 6]]},
  {"id": 2, "image_id": 4, "category_id": 3, "bbox": [0, 0, 10, 10], "area": 100, "iscrowd": 1,
   "segmentation": {"counts": [1, 2, 3], "size": [60, 60]}}],
  "categories": [{"id": 20, "name": "dog"}, {"id": 3, "name": "cat"}]})";
constexpr const char* kResults = R"([
  {"image_id": 9, "category_id": 20, "bbox": [1, 2, 30, 40], "score": 0.75},
  {"image_id": 9, "category_id": 20, "bbox": [2, 2, 30, 40], "score": 0.75},
  {"image_id": 4, "category_id": 3, "bbox": [0, 0, 9.5, 10], "score": 1}])";

void requireMeasured(const BoxTruth& truth, const BoxResults& found) {
  const BoxReport report = measureBoxes(truth, found);
  require(report.precision.classes.size() == truth.categories.size(), "classes");
  for (const double number : report.precision.all)
    require(number == kNoPrecision || (number >= 0 && number <= 1), "a number in [0, 1]");
}

Result<void> readTruth(const std::string& text) {
  return readThen(boxTruthFromText(text, "fuzz"), [](const BoxTruth& truth) {
    BoxResults found;  // as the truth has them
    for (const TrueBox& box : truth.boxes)
      found.boxes.push_back({box.image, box.category, box.box, 0.5});
    requireMeasured(truth, found);
  });
}

Result<void> readResults(const std::string& text) {
  const BoxTruth truth = valueOrThrow(boxTruthFromText(kTruth, "fuzz"));
  return readThen(boxResultsFromText(text, "fuzz", truth),
                  [&](const BoxResults& found) { requireMeasured(truth, found); });
}

}  // namespace

std::vector<Target> boxTargets() {
  return {{"COCO annotations", Kind::Json, {kTruth}, readTruth},
          {"COCO results", Kind::Json, {kResults}, readResults}};
}

}  // namespace headlight::fuzz
