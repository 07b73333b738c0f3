// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/Dataset.h"

namespace headlight {

Result<SamplePart> Dataset::part(std::int64_t index, const ChoosePart&) const {
  auto whole = sample(index);
  if (!whole) return whole.error();
  return SamplePart{std::move(whole->image), whole->label, std::move(whole->boxes),
                    std::move(whole->segments)};
}

Result<SampleTruth> Dataset::truth(std::int64_t index) const {
  auto whole = sample(index);
  if (!whole) return whole.error();
  return SampleTruth{whole->image.width, whole->image.height, whole->label, std::move(whole->boxes),
                     std::move(whole->segments)};
}

}  // namespace headlight
