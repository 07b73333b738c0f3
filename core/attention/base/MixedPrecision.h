// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Matrix products in 16 bits, all else in float32 (Micikevicius et al. 2018, "Mixed Precision
// Training"): what LibTorch's autocast does, and what it leaves to be done. Weights, their
// gradients and what an optimizer keeps are float32 in any case.

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include <vector>

namespace headlight {

/// What linear layers, convolutions and the products of softmax attention are computed in.
enum class Precision { Float32, BFloat16, Float16 };

/// While one lives, operations of this thread on that kind of device are computed in `precision`
/// where that is safe. Float32 changes nothing, nor does Float16 on the CPU, which has none. To be
/// held around forward passes, never around a backward pass. What comes out may have 16 bits.
class AutocastScope {
 public:
  AutocastScope(Precision precision, const at::Device& device);
  ~AutocastScope();
  AutocastScope(const AutocastScope&) = delete;
  AutocastScope& operator=(const AutocastScope&) = delete;

 private:
  struct Before;
  std::vector<Before> m_before;  ///< empty: nothing was changed
};

/// While one lives, nothing of this thread is computed in 16 bits but what is given in 16 bits:
/// for sums of exponentials, norms and other products that 8 bits of mantissa would spoil.
class Float32Scope {
 public:
  Float32Scope();
  ~Float32Scope();
  Float32Scope(const Float32Scope&) = delete;
  Float32Scope& operator=(const Float32Scope&) = delete;

 private:
  bool m_onCpu, m_onCuda;
};

/// In which precision this thread computes on `device`, now.
Precision precisionNow(const at::Device& device);

/// What numbers of 16 bits are in it. Not for Float32.
at::ScalarType typeOf(Precision precision);
/// Whether it has 16 bits.
bool isNarrow(const at::Tensor& x);
/// x itself, or where it has 16 bits the same in float32. Undefined stays undefined.
at::Tensor inFloat32(const at::Tensor& x);
/// For values computed from such a tensor but not stored like it.
at::TensorOptions inFloat32(const at::TensorOptions& options);

/// convolve(x), or where gradients follow on the CPU convolve(x in float32), not in 16 bits: there the
/// gradients of strided depthwise convolutions take several times as long in 16 bits.
template <typename Convolve>
at::Tensor depthwise(const at::Tensor& x, Convolve&& convolve) {
  if (!at::GradMode::is_enabled() || !x.is_cpu()) return convolve(x);
  const Float32Scope exact;
  return convolve(inFloat32(x));
}

}  // namespace headlight
