// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/base/DerivedTensor.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace headlight {

at::Tensor DerivedTensor::get(const std::vector<at::Tensor>& sources,
                              const std::function<at::Tensor()>& compute) {
  const auto mayChange = [](const at::Tensor& source) {
    // Inference tensors count no versions.
    return source.is_inference() || (at::GradMode::is_enabled() && source.requires_grad());
  };
  if (std::any_of(sources.begin(), sources.end(), mayChange)) {
    forget();
    return compute();
  }
  if (isMadeFrom(sources)) return m_value;
  m_value = compute();
  m_sources.clear();
  for (const at::Tensor& source : sources)
    m_sources.push_back(
        {source.data_ptr(), source._version(), source.scalar_type(), source.device()});
  return m_value;
}

void DerivedTensor::forget() {
  m_value = at::Tensor();
  m_sources.clear();
}

bool DerivedTensor::isMadeFrom(const std::vector<at::Tensor>& sources) const {
  return m_value.defined() &&
         std::equal(sources.begin(), sources.end(), m_sources.begin(), m_sources.end(),
                    [](const at::Tensor& now, const Source& then) {
                      return now.data_ptr() == then.data && now._version() == then.version &&
                             now.scalar_type() == then.type && now.device() == then.device;
                    });
}

}  // namespace headlight
