// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/layers/Precision.h"

#include <ATen/Functions.h>

#include <algorithm>

#include "core/base/Processor.h"
#include "core/base/Result.h"
#include "core/base/Text.h"
#include "core/base/TorchCompat.h"
#include "core/base/Translation.h"

namespace headlight {
namespace {

[[noreturn]] void refusePrecision(const std::string& message, const std::string& where) {
  throw Failure({ErrorCode::InvalidConfig, message, where});
}

void requireOnCpu(Precision precision, const std::string& where) {
  if (precision == Precision::Float16)
    refusePrecision(tr("float16 runs only on CUDA devices, and this run is on the CPU; use "
                       "float32, or set device to cuda"),
                    where);
  if (!kLibraryHasFastBfloat16)
    refusePrecision(std::string("LibTorch ") + TORCH_VERSION +
                        tr(", the version of this build, has no fast bfloat16 products on the CPU, "
                           "so bfloat16 would be slower than float32; use float32, a CUDA device, "
                           "or a build with LibTorch 2"),
                    where);
  if (!hasBfloat16Products())
    refusePrecision(tr("this processor has no bfloat16 products (AVX512-BF16 or AMX), so bfloat16 "
                       "would be slower than float32; use float32, or set device to cuda"),
                    where);
}

void requireOnCuda(Precision precision, const at::Device& device, const std::string& where) {
  try {
    const at::Tensor ones = at::ones({16, 16}, at::TensorOptions(device).dtype(typeOf(precision)));
    static_cast<void>(at::mm(ones, ones).sum().to(at::kFloat).item<float>());
  } catch (const std::exception& exception) {
    refusePrecision(tr("the device ") + device.str() + tr(" has no products in ") +
                        precisionNames()[static_cast<std::size_t>(precision)] + ": " +
                        failureMessage(exception) + tr("; use float32"),
                    where);
  }
}

}  // namespace

const std::vector<std::string>& precisionNames() {
  static const std::vector<std::string> names{"float32", "bfloat16", "float16"};
  return names;
}

Precision precisionFromConfig(const std::string& text, const std::string& where) {
  const auto& names = precisionNames();
  const auto found = std::find(names.begin(), names.end(), text);
  if (found == names.end())
    refusePrecision("\"" + text + tr("\" is not a precision; use one of ") + joined(names), where);
  return static_cast<Precision>(found - names.begin());
}

void requirePrecision(Precision precision, const at::Device& device, const std::string& where) {
  if (precision == Precision::Float32) return;
  if (device.is_cuda())
    requireOnCuda(precision, device, where);
  else
    requireOnCpu(precision, where);
}

Precision precisionOn(const at::Device& device, const std::string& text, const std::string& where) {
  const Precision precision = precisionFromConfig(text, where);
  requirePrecision(precision, device, where);
  return precision;
}

}  // namespace headlight
