// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/base/NarrowWeight.h"

#include <ATen/ATen.h>

namespace headlight {

const at::Tensor& NarrowWeight::of(const at::Tensor& weight, at::ScalarType type) {
  const auto version = static_cast<std::int64_t>(weight._version());
  const bool same = m_narrow.defined() && m_narrow.scalar_type() == type &&
                    m_weight.is_same(weight) && m_data == weight.data_ptr() && m_version == version;
  if (same) return m_narrow;
  m_narrow = weight.detach().to(type);
  m_weight = weight;
  m_data = weight.data_ptr();
  m_version = version;
  return m_narrow;
}

void NarrowWeight::forget() {
  *this = {};
}

}  // namespace headlight
