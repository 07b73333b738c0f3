// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A tensor that depends on parameters alone (a learned mask, positional weights), kept between
// forward passes while those stay as they are.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace headlight {

/// Where a source could get a gradient the tensor is computed anew and nothing is kept, so that a
/// training step, which may write to parameters behind LibTorch's back, leaves no stale value.
/// Otherwise it is computed when a source was written to, replaced or moved. Modules also forget()
/// when they change between training and evaluation.
class DerivedTensor {
 public:
  at::Tensor get(const std::vector<at::Tensor>& sources,
                 const std::function<at::Tensor()>& compute);
  void forget();

 private:
  struct Source {
    const void* data;
    std::int64_t version;
    at::ScalarType type;
    at::Device device;
  };
  bool isMadeFrom(const std::vector<at::Tensor>& sources) const;

  at::Tensor m_value;
  std::vector<Source> m_sources;
};

}  // namespace headlight
