// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/LossTotals.h"

#include <ATen/ATen.h>

namespace headlight {

void LossTotals::add(const std::array<at::Tensor, 3>& losses, const std::array<double, 2>& divisors,
                     std::int64_t images) {
  m_numbers.narrow(0, 0, 3) += at::stack(losses).to(at::kCPU, at::kDouble);
  m_numbers[3] += divisors[0];
  m_numbers[4] += divisors[1];
  m_numbers[5] += images;
}

void LossTotals::exchange(const SharedBatches& batches) {
  m_numbers[6] += static_cast<double>(batches.loader().skipped().size());
  if (batches.processes()) batches.processes()->sum(m_numbers);
}

}  // namespace headlight
