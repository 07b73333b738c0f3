// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Queries, keys and values of all heads of a layer, however they lie: in one tensor, as the layer
// that made them left them, or apart.

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>

namespace headlight {

/// B images, H heads, Tq queries and Tk keys, of d features for q and k and e for v.
class HeadInputs {
 public:
  /// [B, T, 3·H·d], laid out as timm's: q, k and v one after the other, heads within each.
  static HeadInputs packed(const at::Tensor& qkv, std::int64_t heads);
  /// [B, T, H·(2d + e)], laid out as LeViT's: the heads one after the other, q, k and v within
  /// each.
  static HeadInputs packedByHead(const at::Tensor& qkv, std::int64_t heads, std::int64_t keyWidth);
  /// [B, H, Tq, d], [B, H, Tk, d] and [B, H, Tk, e]; copied where rows are not whole in memory.
  static HeadInputs apart(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v);

  std::int64_t batch = 0, heads = 0, queries = 0, keys = 0, keyWidth = 0, valueWidth = 0;

  /// Whether heads lie as timm's: the linear-time kernels take no other.
  bool isTimm() const { return m_layout == Layout::Packed; }
  /// The tensors that were given: one, or q, k and v.
  std::int64_t tensorCount() const { return m_layout == Layout::Apart ? 3 : 1; }
  const at::Tensor& tensor(std::int64_t i) const { return m_tensors[i]; }
  bool requiresGrad() const;
  at::TensorOptions options() const { return m_tensors[0].options(); }

  /// The same layout over other tensors of the same shapes: without autograd, or gradients.
  HeadInputs over(const std::array<at::Tensor, 3>& tensors) const;
  /// The same, made contiguous where the kernels need it.
  HeadInputs forKernels() const;
  /// Uninitialized, in the same layout and contiguous: where gradients are written.
  HeadInputs emptyLike() const;
  /// q, k (0, 1: [B, H, T, d]) or v (2: [B, H, Tk, e]), as views.
  at::Tensor part(int which) const;

 private:
  enum class Layout { Packed, PackedByHead, Apart };
  Layout m_layout = Layout::Packed;
  std::array<at::Tensor, 3> m_tensors;
};

}  // namespace headlight
