// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A linear layer that can be given low-rank additions (LoRA, Hu et al. 2022, "LoRA: Low-Rank
// Adaptation of Large Language Models"). Without any it is torch::nn::Linear, bit for bit.

#include <ATen/core/Tensor.h>
#include <torch/nn/pimpl.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/attention/base/NarrowWeight.h"

namespace headlight {

struct LowRankOptions {
  std::int64_t rank = 8;
  double scale = 1;    ///< α / r
  double dropout = 0;  ///< of what goes into `down`, in training
};

/// scale · up · down · dropout(x), added to some outputs of a linear layer. Parameters: down
/// [r, in], up [rows, r]; buffers: scale, first. up starts from 0, so that nothing changes at first.
class LowRank : public torch::nn::Module {
 public:
  /// For outputs [first, first + rows) of `weight`, of whose type and device it is.
  LowRank(const at::Tensor& weight, std::int64_t first, std::int64_t rows,
          const LowRankOptions& options);
  /// down uniform within ±1/√in, as a linear layer's default (and PEFT's), drawn from `key`.
  void initialize(std::uint64_t key);
  /// [.., in] → [.., rows].
  at::Tensor forward(const at::Tensor& x);
  std::int64_t first() const { return m_first; }
  std::int64_t rows() const { return m_up.size(0); }

 private:
  std::int64_t m_first;
  double m_dropout;
  at::Tensor m_down, m_up, m_scale;
};

class AdaptableLinearImpl : public NarrowingLinearImpl {
 public:
  using NarrowingLinearImpl::NarrowingLinearImpl;

  at::Tensor forward(const at::Tensor& x) { return adapted(NarrowingLinearImpl::forward(x), x); }
  /// `products` [.., out] of x [.., in], however they were made, with the additions; itself where
  /// there are none.
  at::Tensor adapted(const at::Tensor& products, const at::Tensor& x);

  /// Under lora_PART; in rising order of its outputs, none of which has an addition yet.
  std::shared_ptr<LowRank> adapt(const std::string& part, std::int64_t first, std::int64_t rows,
                                 const LowRankOptions& options);

 private:
  std::vector<std::shared_ptr<LowRank>> m_additions;
};

class AdaptableLinear : public torch::nn::ModuleHolder<AdaptableLinearImpl> {
 public:
  using torch::nn::ModuleHolder<AdaptableLinearImpl>::ModuleHolder;
  using Impl = AdaptableLinearImpl;
};

}  // namespace headlight
