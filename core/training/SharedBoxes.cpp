// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/SharedBoxes.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace headlight {
namespace {

constexpr std::int64_t kNumbers = 7;  // of a box: x, y, width, height, label, area, crowd

/// Lists of boxes at their rows of the whole batch.
using RowLists = std::vector<LabeledBoxes>;

/// [present, most]: whether any process has lists, and how long the longest of all is.
std::pair<bool, std::int64_t> agreedSizes(const RowLists& lists, bool present,
                                          Processes& processes) {
  at::Tensor sizes = at::zeros({static_cast<std::int64_t>(lists.size()) + 1}, at::kLong);
  auto* numbers = sizes.data_ptr<std::int64_t>();
  numbers[0] = present;
  for (std::size_t row = 0; row < lists.size(); ++row)
    numbers[row + 1] = std::ssize(lists[row]);
  processes.sum(sizes);
  return {numbers[0] > 0, *std::max_element(numbers + 1, numbers + sizes.size(0))};
}

/// Each row is one process's; zeros of the others leave its numbers as they are, to the last bit.
RowLists summed(const RowLists& lists, std::int64_t most, Processes& processes) {
  const auto rows = static_cast<std::int64_t>(lists.size());
  if (most == 0) return RowLists(lists.size());
  at::Tensor table = at::zeros({rows, most, kNumbers + 1}, at::kDouble);
  const auto values = table.accessor<double, 3>();
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t i = 0; i < std::ssize(lists[row]); ++i) {
      const LabeledBox& box = lists[row][i];
      const double numbers[] = {box.box.x,         box.box.y, box.box.width,     box.box.height,
                                double(box.label), box.area,  double(box.crowd), 1};
      std::copy(std::begin(numbers), std::end(numbers), values[row][i].data());
    }
  processes.sum(table);
  RowLists all(lists.size());
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t i = 0; i < most && values[row][i][kNumbers] > 0; ++i) {
      const auto box = values[row][i];
      all[row].push_back({{box[0], box[1], box[2], box[3]}, int(box[4]), box[5], box[6] > 0});
    }
  return all;
}

/// `lists` of the rows that are here, at their rows of the whole.
RowLists spreadRows(const RowLists& lists, const Batch& here) {
  RowLists spread(static_cast<std::size_t>(here.whole));
  for (std::size_t i = 0; i < lists.size(); ++i)
    spread[static_cast<std::size_t>(here.rows[i])] = lists[i];
  return spread;
}

/// Nothing where no process has lists.
RowLists shared(const RowLists& lists, const Batch& here, Processes& processes) {
  const RowLists spread = spreadRows(lists, here);
  const auto [present, most] = agreedSizes(spread, !lists.empty(), processes);
  return present ? summed(spread, most, processes) : RowLists();
}

/// [width, height] of the image of each row of the whole.
at::Tensor sharedSizes(const Batch& here, Processes& processes) {
  at::Tensor sizes = at::zeros({here.whole, 2}, at::kLong);
  for (std::size_t i = 0; i < here.truth.size(); ++i) {
    sizes[here.rows[i]][0] = here.truth[i].width;
    sizes[here.rows[i]][1] = here.truth[i].height;
  }
  processes.sum(sizes);
  return sizes;
}

}  // namespace

BoxRows sharedBoxes(const Batch& here, Processes& processes) {
  BoxRows all{shared(here.boxes, here, processes), {}};
  RowLists truth;
  for (const ImageTruth& image : here.truth)
    truth.push_back(image.boxes);
  const RowLists boxes = shared(truth, here, processes);
  const at::Tensor sizes = sharedSizes(here, processes);
  for (std::size_t row = 0; row < boxes.size(); ++row) {
    const at::Tensor size = sizes[static_cast<std::int64_t>(row)];
    all.truth.push_back({size[0].item<int>(), size[1].item<int>(), boxes[row], {}});
  }
  return all;
}

}  // namespace headlight
