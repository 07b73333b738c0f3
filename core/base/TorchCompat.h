#pragma once
// The one place that knows how LibTorch 1.13 and 2.x differ. Included by torch-using files of core
// only.

#include <torch/version.h>

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <c10/core/Allocator.h>

#define HEADLIGHT_TORCH_AT_LEAST(major, minor) \
  (TORCH_VERSION_MAJOR > (major) ||            \
   (TORCH_VERSION_MAJOR == (major) && TORCH_VERSION_MINOR >= (minor)))

#if HEADLIGHT_TORCH_AT_LEAST(2, 0)
#include <ATen/ops/scaled_dot_product_attention.h>
#endif

namespace headlight {

inline bool cudaIsAvailable() {
  return at::globalContext().hasCUDA();
}

/// Whether LibTorch has attention of its own (libraryAttention).
constexpr bool kLibraryHasAttention = HEADLIGHT_TORCH_AT_LEAST(2, 0);

/// softmax(q kᵀ/√d, −∞ where `mask` is false)·v by LibTorch's own attention; q, k and v are
/// [B, H, T, d], the mask [T, T] bool. Throws c10::Error where it has none.
inline at::Tensor libraryAttention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                   const at::Tensor& mask) {
#if HEADLIGHT_TORCH_AT_LEAST(2, 0)
  return at::scaled_dot_product_attention(q, k, v, mask);
#else
  static_cast<void>(k), static_cast<void>(v), static_cast<void>(mask);
  TORCH_CHECK(false, "this LibTorch has no attention of its own");
  return q;
#endif
}

template <typename Bytes>
Bytes reportedBytes(void (c10::MemoryReportingInfoBase::*)(void*, int64_t, Bytes, Bytes,
                                                           c10::Device));
/// In what MemoryReportingInfoBase::reportMemoryUsage() gives totals: signed or not.
using ReportedBytes = decltype(reportedBytes(&c10::MemoryReportingInfoBase::reportMemoryUsage));

}  // namespace headlight
