// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/detection/BoxAssignment.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <set>

#include "core/base/Result.h"
#include "core/base/Translation.h"
#include "core/training/detection/CellMatcher.h"

namespace headlight {
namespace {

at::Tensor onCpu(const at::Tensor& values) {
  return values.detach().to(at::kCPU, at::kDouble).contiguous();
}

/// Those of one image, of values [B, …] on the processor.
std::span<const double> numbersOf(const at::Tensor& values, std::int64_t image) {
  const std::int64_t size = values.numel() / values.size(0);
  return {values.data_ptr<double>() + image * size, static_cast<std::size_t>(size)};
}

std::vector<CellPlace> placesOf(const CellLevels& levels) {
  const at::Tensor centers = cellCenters(levels), strides = cellStrides(levels);
  const auto center = centers.accessor<float, 2>();
  const auto stride = strides.accessor<float, 1>();
  std::vector<CellPlace> places;
  for (std::int64_t cell = 0; cell < strides.size(0); ++cell)
    places.push_back({center[cell][0], center[cell][1], stride[cell]});
  return places;
}

void requireLabels(const LabeledBoxes& truth, std::int64_t classes) {
  for (const LabeledBox& box : truth)
    if (box.label < 0 || box.label >= classes)
      throw Failure({ErrorCode::InvalidArgument,
                     tr("a box has the class ") + std::to_string(box.label) +
                         tr(", but the model's classes are 0 to ") + std::to_string(classes - 1),
                     "boxes"});
}

/// Labels of an image's boxes, rising.
using AskedClasses = std::vector<std::int64_t>;

AskedClasses classesOf(const LabeledBoxes& truth) {
  std::set<std::int64_t> found;
  for (const LabeledBox& box : truth)
    found.insert(box.label);
  return {found.begin(), found.end()};
}

/// The boxes with places in `asked` as labels.
LabeledBoxes placedIn(const AskedClasses& asked, LabeledBoxes boxes) {
  for (LabeledBox& box : boxes)
    box.label =
        static_cast<int>(std::lower_bound(asked.begin(), asked.end(), box.label) - asked.begin());
  return boxes;
}

/// [B, N, A] of the classes that each image asks for, on the processor: few of all, which would take
/// long to come from a device. Places that an image does not ask for repeat class 0.
at::Tensor askedLogits(const at::Tensor& logits, const std::vector<AskedClasses>& asked) {
  std::size_t most = 1;
  for (const AskedClasses& classes : asked)
    most = std::max(most, classes.size());
  const auto places = static_cast<std::int64_t>(most);
  const at::Tensor index = at::zeros({logits.size(0), 1, places}, at::kLong);
  for (std::size_t image = 0; image < asked.size(); ++image)
    std::copy(asked[image].begin(), asked[image].end(),
              index.data_ptr<std::int64_t>() + static_cast<std::int64_t>(image) * places);
  return onCpu(logits.detach().gather(
      2, index.to(logits.device()).expand({logits.size(0), logits.size(1), places})));
}

}  // namespace

std::vector<AssignedCell> assignCells(const CellScores& scores, const at::Tensor& background,
                                      const BatchBoxes& truth) {
  const at::NoGradGuard noGrad;
  const std::int64_t images = scores.logits.size(0), cells = scores.logits.size(1);
  std::vector<AskedClasses> asked;
  for (std::int64_t image = 0; image < images; ++image) {
    const LabeledBoxes& boxes = truth.at(static_cast<std::size_t>(image));
    requireLabels(boxes, scores.logits.size(2));
    asked.push_back(classesOf(boxes));
  }
  const std::vector<CellPlace> places = placesOf(scores.levels);
  const at::Tensor corners = onCpu(cellBoxes(scores)), costs = onCpu(background),
                   logits = askedLogits(scores.logits, asked);
  std::vector<std::vector<int>> owners(static_cast<std::size_t>(images));
  at::parallel_for(0, images, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t image = begin; image < end; ++image) {
      const auto i = static_cast<std::size_t>(image);
      if (truth[i].empty()) continue;
      owners[i] = matchCells(
          {places, numbersOf(corners, image), numbersOf(costs, image), numbersOf(logits, image)},
          placedIn(asked[i], truth[i]));
    }
  });
  std::vector<AssignedCell> assigned;
  for (std::size_t i = 0; i < owners.size(); ++i)
    for (std::size_t cell = 0; cell < owners[i].size(); ++cell)
      if (const int owner = owners[i][cell]; owner >= 0)
        assigned.push_back({static_cast<std::int64_t>(i) * cells + static_cast<std::int64_t>(cell),
                            truth[i][static_cast<std::size_t>(owner)]});
  return assigned;
}

}  // namespace headlight
