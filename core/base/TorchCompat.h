// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The one place that knows how LibTorch 1.13 and 2.x differ. Included by torch-using files of core
// only.

#include <torch/version.h>

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/Tensor.h>
#include <c10/core/Allocator.h>
#include <c10/util/Logging.h>
#include <dlfcn.h>

#include <cstdlib>

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

/// Whether products in bfloat16 on a CPU that has them are faster than those in float32.
constexpr bool kLibraryHasFastBfloat16 = HEADLIGHT_TORCH_AT_LEAST(2, 0);

/// LibTorch's autocast of this thread, for the CPU or for CUDA.
struct Autocast {
  bool on = false;
  at::ScalarType type = at::kBFloat16;  ///< that products are computed in while it is on
};

#if HEADLIGHT_TORCH_AT_LEAST(2, 4)
inline Autocast makeAutocast(c10::DeviceType device) {
  return {at::autocast::is_autocast_enabled(device), at::autocast::get_autocast_dtype(device)};
}
inline void setAutocast(c10::DeviceType device, const Autocast& state) {
  at::autocast::set_autocast_enabled(device, state.on);
  at::autocast::set_autocast_dtype(device, state.type);
}
#else
inline Autocast makeAutocast(c10::DeviceType device) {
  namespace ac = at::autocast;
  if (device == c10::DeviceType::CPU) return {ac::is_cpu_enabled(), ac::get_autocast_cpu_dtype()};
  return {ac::is_enabled(), ac::get_autocast_gpu_dtype()};
}
inline void setAutocast(c10::DeviceType device, const Autocast& state) {
  namespace ac = at::autocast;
  const bool onCpu = device == c10::DeviceType::CPU;
  onCpu ? ac::set_cpu_enabled(state.on) : ac::set_enabled(state.on);
  onCpu ? ac::set_autocast_cpu_dtype(state.type) : ac::set_autocast_gpu_dtype(state.type);
}
#endif

/// Whether autocast keeps what it made of weights until its cache is cleared.
inline bool autocastRemembersWeights() {
  return at::autocast::is_autocast_cache_enabled();
}
inline void setAutocastRemembersWeights(bool remembers) {
  at::autocast::set_autocast_cache_enabled(remembers);
}

template <typename Bytes>
Bytes reportedBytes(void (c10::MemoryReportingInfoBase::*)(void*, int64_t, Bytes, Bytes,
                                                           c10::Device));
/// In what MemoryReportingInfoBase::reportMemoryUsage() gives totals: signed or not.
using ReportedBytes = decltype(reportedBytes(&c10::MemoryReportingInfoBase::reportMemoryUsage));

/// c10d's store by plain sockets: 2.5 on asks for libuv, without which some are built (Debian's).
template <typename StoreOptions>
void useNoLibUv(StoreOptions& options) {
  if constexpr (requires { options.useLibUV; }) options.useLibUV = false;
}

/// What fails in c10d is thrown, and said by us: LibTorch's own lines on standard error, with the
/// addresses of functions, are for whoever sets its TORCH_CPP_LOG_LEVEL.
inline void leaveErrorsToUs() {
  constexpr int kFatal = 3;
  if (std::getenv("TORCH_CPP_LOG_LEVEL")) return;
#ifdef C10_USE_GLOG
  // glog is LibTorch's, not linked by us: its flag is looked up by name.
  if (auto* level = static_cast<int*>(::dlsym(RTLD_DEFAULT, "_ZN3fLI17FLAGS_minloglevelE")))
    *level = kFatal;
#else
  FLAGS_caffe2_log_level = kFatal;
#endif
}

}  // namespace headlight
