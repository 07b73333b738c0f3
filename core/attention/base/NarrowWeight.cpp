// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/base/NarrowWeight.h"

#include <ATen/ATen.h>

#include "core/attention/base/MixedPrecision.h"

namespace headlight {

const at::Tensor& NarrowWeight::of(const at::Tensor& weight, at::ScalarType type) {
  const auto version = static_cast<std::int64_t>(weight._version());
  const c10::StorageImpl* storage = weight.storage().unsafeGetStorageImpl();
  const bool same = m_narrow.defined() && m_narrow.scalar_type() == type &&
                    m_weight.is_same(weight) && m_storage._unsafe_get_target() == storage &&
                    m_version == version;
  if (same) return m_narrow;
  m_narrow = weight.detach().to(type);
  m_weight = weight;
  m_storage = weight.storage().getWeakStorageImpl();
  m_version = version;
  return m_narrow;
}

void NarrowWeight::forget() {
  *this = {};
}

at::Tensor NarrowingLinearImpl::forward(const at::Tensor& x) {
  const Precision precision = precisionNow(x.device());
  if (precision == Precision::Float32 || at::GradMode::is_enabled() || is_training() ||
      weight.scalar_type() != at::kFloat || weight.is_inference())
    return LinearImpl::forward(x);
  return at::linear(x, m_narrow.of(weight, typeOf(precision)), bias);
}

void NarrowingLinearImpl::train(bool on) {
  if (on) m_narrow.forget();
  LinearImpl::train(on);
}

}  // namespace headlight
