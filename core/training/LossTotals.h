// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The loss of a detector or a segmenter over a dataset: that of all its images as one batch.

#include <ATen/Functions.h>
#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>

#include "core/training/SharedBatches.h"

namespace headlight {

/// Sums of three losses and of the two numbers that they are divided by, in double, and how many
/// images they are of.
class LossTotals {
 public:
  /// What a batch of `images` adds; the losses are scalars on any device.
  void add(const std::array<at::Tensor, 3>& losses, const std::array<double, 2>& divisors,
           std::int64_t images);
  /// Adds what the loader skipped, and then what the other processes have: once, at the end.
  void exchange(const SharedBatches& batches);

  /// Of the first, the second or the third: a scalar, double.
  at::Tensor loss(std::int64_t place) const { return m_numbers[place]; }
  double divisor(std::int64_t place) const { return number(3 + place); }
  std::int64_t images() const { return static_cast<std::int64_t>(number(5)); }
  std::int64_t skipped() const { return static_cast<std::int64_t>(number(6)); }

 private:
  double number(std::int64_t place) const { return m_numbers[place].item<double>(); }

  at::Tensor m_numbers = at::zeros({7}, at::kDouble);
};

}  // namespace headlight
