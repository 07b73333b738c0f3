// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/base/MixedPrecision.h"

#include "core/base/TorchCompat.h"

namespace headlight {
namespace {

void switchAutocast(c10::DeviceType device, bool on) {
  setAutocast(device, {on, makeAutocast(device).type});
}

bool isNarrow(at::ScalarType type) {
  return type == at::kBFloat16 || type == at::kHalf;
}

}  // namespace

struct AutocastScope::Before {
  c10::DeviceType device;
  Autocast state;
  bool remembers;
};

AutocastScope::AutocastScope(Precision precision, const at::Device& device) {
  if (precision == Precision::Float32 || (precision == Precision::Float16 && device.is_cpu()))
    return;
  m_before.push_back({device.type(), makeAutocast(device.type()), autocastRemembersWeights()});
  // LibTorch does not keep narrowed weights: an optimizer, an average or an edit would leave them
  // stale, and those that were narrowed without gradients would keep none (NarrowWeight does).
  setAutocastRemembersWeights(false);
  setAutocast(device.type(), {true, typeOf(precision)});
}

AutocastScope::~AutocastScope() {
  for (const Before& before : m_before) {
    setAutocast(before.device, before.state);
    setAutocastRemembersWeights(before.remembers);
  }
}

Float32Scope::Float32Scope()
    : m_onCpu(makeAutocast(at::kCPU).on), m_onCuda(makeAutocast(at::kCUDA).on) {
  if (m_onCpu) switchAutocast(at::kCPU, false);
  if (m_onCuda) switchAutocast(at::kCUDA, false);
}

Float32Scope::~Float32Scope() {
  if (m_onCpu) switchAutocast(at::kCPU, true);
  if (m_onCuda) switchAutocast(at::kCUDA, true);
}

Precision precisionNow(const at::Device& device) {
  if (!device.is_cpu() && !device.is_cuda()) return Precision::Float32;
  const Autocast now = makeAutocast(device.type());
  if (!now.on) return Precision::Float32;
  return now.type == at::kHalf ? Precision::Float16 : Precision::BFloat16;
}

at::ScalarType typeOf(Precision precision) {
  return precision == Precision::BFloat16 ? at::kBFloat16 : at::kHalf;
}

bool isNarrow(const at::Tensor& x) {
  return x.defined() && isNarrow(x.scalar_type());
}

at::Tensor inFloat32(const at::Tensor& x) {
  return isNarrow(x) ? x.to(at::kFloat) : x;
}

at::TensorOptions inFloat32(const at::TensorOptions& options) {
  return isNarrow(c10::typeMetaToScalarType(options.dtype())) ? options.dtype(at::kFloat) : options;
}

}  // namespace headlight
