// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The kernels that Castling-ViT compares (You et al. 2023, Table 5): similarities of queries and
// keys that factor into features, so that attention is linear in the number of tokens (Eq. 3). And,
// to compare with, what its own kernel approximates: the angular kernel and its series (Eq. 5, 8).

#include <ATen/core/Tensor.h>

#include <functional>
#include <string>
#include <vector>

namespace headlight {

/// What a kernel makes of q and k: similarities are φψᵀ. Denominators are folded into φ. A kernel of
/// pairs has the similarities themselves [B, H, Tq, Tk] for φ, and ψ is undefined.
struct KernelFeatures {
  at::Tensor query, key;  ///< φ [B, H, Tq, f], ψ [B, H, Tk, f]
};

/// A kernel whose weights are `own`·I + φψᵀ.
struct LinearKernel {
  std::string name;
  double own;  ///< of the token's own value
  bool
      unitRows;  ///< rows of the output to unit length; the others bring a denominator of their own
  bool isSigned;
  std::string meaning;  ///< of the weights, in words
  std::function<KernelFeatures(const at::Tensor& q, const at::Tensor& k)> features;
  bool ofPairs = false;  ///< does not factor into features: quadratic in the tokens

  /// (own·I + φψᵀ)V + extra, normalized as the kernel wants it. ψᵀV comes first: no Tq × Tk tensor
  /// is formed, unless the kernel is of pairs. v [B, H, Tk, e], extra [B, H, Tq, e] or undefined → [B, H, Tq, e]. Where Tq ≠ Tk
  /// (pooled keys or queries) a query has no value of its own: own·I is left out.
  /// `mixed`, where given, gets the same before it is normalized.
  at::Tensor apply(const KernelFeatures& features, const at::Tensor& v, const at::Tensor& extra,
                   at::Tensor* mixed = nullptr) const;
  /// own·I + φψᵀ as [B, H, Tq, Tk]; quadratic.
  at::Tensor map(const KernelFeatures& features) const;
};

/// linear_angular first, then the others.
const std::vector<LinearKernel>& linearKernels();
/// By name, which must be one of them.
const LinearKernel& linearKernel(const std::string& name);

/// Eq. 8 with the first `terms` of its sum, at least 0: of every pair ½ + c/π + (1/π) Σ a_k c^(2k+1)
/// with c = q̂·k̂ and a_k = (2k)!/(2^(2k) (k!)² (2k + 1)). Without terms it is `half_sum`.
LinearKernel angularSeries(int terms);

}  // namespace headlight
