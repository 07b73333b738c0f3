// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/step/AgreedCounts.h"

#include <ATen/ATen.h>

namespace headlight {

std::array<double, 2> agreedCounts(const std::array<double, 2>& own, std::int64_t sharedCount,
                                   Processes* processes) {
  if (!processes) return own;
  at::Tensor numbers = at::tensor({own[0], own[1]}, at::kDouble);
  processes->sum(numbers);
  numbers /= static_cast<double>(sharedCount);
  return {numbers[0].item<double>(), numbers[1].item<double>()};
}

}  // namespace headlight
