// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/layers/Precision.h"

#include <ATen/Functions.h>

#include <algorithm>

#include "core/base/Processor.h"
#include "core/base/Result.h"
#include "core/base/Text.h"
#include "core/base/TorchCompat.h"

namespace headlight {
namespace {

[[noreturn]] void refusePrecision(const std::string& message, const std::string& where) {
  throw Failure({ErrorCode::InvalidConfig, message, where});
}

void requireOnCpu(Precision precision, const std::string& where) {
  if (precision == Precision::Float16)
    refusePrecision(
        "float16 is computed by CUDA devices alone, and this run is on the CPU; use float32, or "
        "set device to cuda where there is one",
        where);
  if (!kLibraryHasFastBfloat16)
    refusePrecision(std::string("LibTorch ") + TORCH_VERSION +
                        ", which this program was built with, has no fast products in bfloat16 on "
                        "the CPU: they would be slower than those in float32; use float32, a CUDA "
                        "device, or a program built with LibTorch 2",
                    where);
  if (!hasBfloat16Products())
    refusePrecision(
        "this processor has no products in bfloat16 (AVX512-BF16 or AMX): they would be slower "
        "than those in float32; use float32, or set device to cuda where there is one",
        where);
}

void requireOnCuda(Precision precision, const at::Device& device, const std::string& where) {
  const at::ScalarType type = precision == Precision::Float16 ? at::kHalf : at::kBFloat16;
  try {
    const at::Tensor ones = at::ones({16, 16}, at::TensorOptions(device).dtype(type));
    static_cast<void>(at::mm(ones, ones).sum().to(at::kFloat).item<float>());
  } catch (const std::exception& exception) {
    refusePrecision("the device " + device.str() + " has no products in " +
                        precisionNames()[static_cast<std::size_t>(precision)] + ": " +
                        messageOf(exception) + "; use float32",
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
    refusePrecision("\"" + text + "\" is not a precision; use one of " + joined(names), where);
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
