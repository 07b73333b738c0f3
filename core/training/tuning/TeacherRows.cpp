// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/tuning/TeacherRows.h"

#include <ATen/Functions.h>

namespace headlight {

at::Tensor TeacherRows::of(const std::vector<std::int64_t>& samples) const {
  std::vector<std::int64_t> places;
  for (const std::int64_t sample : samples)
    places.push_back(m_place.at(static_cast<std::size_t>(sample)));
  return m_rows.index_select(0, at::tensor(places, at::kLong)).to(at::kFloat);
}

}  // namespace headlight
