// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A weight in 16 bits, for passes without gradients: made once, not at each pass. At batch 1 that is
// a large part of the time.

#include <ATen/core/Tensor.h>
#include <c10/core/StorageImpl.h>
#include <c10/util/intrusive_ptr.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/pimpl.h>

#include <cstdint>

namespace headlight {

class NarrowWeight {
 public:
  /// `weight` in `type`, made anew where it was written to, replaced or moved since the last time.
  /// What writes to it past LibTorch has to bump its version (as AdamW's kernel does).
  const at::Tensor& of(const at::Tensor& weight, at::ScalarType type);
  void forget();

 private:
  at::Tensor m_narrow;
  at::Tensor m_weight;  ///< of which it is
  /// Where that lay: set_data() changes it, but not the version. Kept, so that nobody else lies there.
  c10::weak_intrusive_ptr<c10::StorageImpl> m_storage{c10::intrusive_ptr<c10::StorageImpl>()};
  std::int64_t m_version = 0;
};

/// torch::nn::Linear, bit for bit; in 16 bits and without gradients it keeps its narrowed weight.
class NarrowingLinearImpl : public torch::nn::LinearImpl {
 public:
  using torch::nn::LinearImpl::LinearImpl;

  at::Tensor forward(const at::Tensor& x);
  /// Training gives the narrowed weight back.
  void train(bool on = true) override;

 private:
  NarrowWeight m_narrow;
};

class NarrowingLinear : public torch::nn::ModuleHolder<NarrowingLinearImpl> {
 public:
  using torch::nn::ModuleHolder<NarrowingLinearImpl>::ModuleHolder;
  using Impl = NarrowingLinearImpl;
};

}  // namespace headlight
