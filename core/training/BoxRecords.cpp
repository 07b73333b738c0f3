// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/BoxRecords.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace headlight {
namespace {

constexpr std::size_t kTrueNumbers = 8, kFoundNumbers = 7;

/// The numbers of all processes, one after another.
std::vector<double> numbersOfAll(const std::vector<double>& own, Processes& processes) {
  at::Tensor sizes = at::zeros({processes.count()}, at::kLong);
  sizes[processes.rank()] = static_cast<std::int64_t>(own.size());
  processes.sum(sizes);
  const auto before = sizes.narrow(0, 0, processes.rank()).sum().item<std::int64_t>();
  at::Tensor all = at::zeros({sizes.sum().item<std::int64_t>()}, at::kDouble);
  if (all.numel() == 0) return {};
  double* const numbers = all.data_ptr<double>();
  std::copy(own.begin(), own.end(), numbers + before);
  processes.sum(all);
  return {numbers, numbers + all.numel()};
}

std::vector<double> written(const std::vector<TrueBox>& boxes) {
  std::vector<double> all;
  for (const TrueBox& box : boxes)
    all.insert(all.end(), {double(box.image), double(box.category), box.box.x, box.box.y,
                           box.box.width, box.box.height, box.area, double(box.crowd)});
  return all;
}

std::vector<double> written(const std::vector<FoundBox>& boxes) {
  std::vector<double> all;
  for (const FoundBox& box : boxes)
    all.insert(all.end(), {double(box.image), double(box.category), box.box.x, box.box.y,
                           box.box.width, box.box.height, box.score});
  return all;
}

TrueBox trueBox(const double* at) {
  TrueBox box;
  box.image = static_cast<int>(at[0]);
  box.category = static_cast<int>(at[1]);
  box.box = {at[2], at[3], at[4], at[5]};
  box.area = at[6];
  box.crowd = at[7] != 0;
  return box;
}

FoundBox foundBox(const double* at) {
  return {static_cast<int>(at[0]), static_cast<int>(at[1]), {at[2], at[3], at[4], at[5]}, at[6]};
}

}  // namespace

void BoxRecords::exchange(Processes* processes) {
  if (!processes) return;
  const auto truths = numbersOfAll(written(truth), *processes);
  const auto founds = numbersOfAll(written(found), *processes);
  truth.clear();
  found.clear();
  for (std::size_t i = 0; i < truths.size(); i += kTrueNumbers)
    truth.push_back(trueBox(truths.data() + i));
  for (std::size_t i = 0; i < founds.size(); i += kFoundNumbers)
    found.push_back(foundBox(founds.data() + i));
}

}  // namespace headlight
