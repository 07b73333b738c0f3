// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/layers/Device.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cctype>

#include "core/base/Result.h"
#include "core/base/TorchCompat.h"
#include "core/base/Translation.h"

namespace headlight {
namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw Failure({ErrorCode::InvalidConfig, message, "device"});
}

/// The N of "cuda:N"; 0 of "cuda".
int cudaIndex(const std::string& text) {
  const std::string prefix = "cuda:";
  if (text == "cuda") return 0;
  const std::string digits = text.starts_with(prefix) ? text.substr(prefix.size()) : "";
  const auto isDigit = [](unsigned char c) { return std::isdigit(c) != 0; };
  if (digits.empty() || digits.size() > 2 || !std::all_of(digits.begin(), digits.end(), isDigit))
    refuse("\"" + text + tr("\" is not a device; use auto, cpu, cuda or cuda:N"));
  return std::stoi(digits);
}

}  // namespace

at::Device deviceFromConfig(const std::string& text) {
  if (text == "cpu") return at::kCPU;
  if (text == "auto" && !cudaIsAvailable()) return at::kCPU;
  const int index = text == "auto" ? 0 : cudaIndex(text);
  if (!cudaIsAvailable())
    refuse("\"" + text +
           tr("\" was requested, but LibTorch finds no CUDA device; use cpu or auto"));
  // A convolution in 10 bits of mantissa, cuDNN's default, would not be the float32 that every
  // number of this program is said to be.
  at::globalContext().setAllowTF32CuDNN(false);
  const at::Device device(at::kCUDA, static_cast<at::DeviceIndex>(index));
  try {
    at::zeros({1}, at::TensorOptions(device));
  } catch (const std::exception& exception) {
    refuse("\"" + text + tr("\" cannot be used: ") + failureMessage(exception));
  }
  return device;
}

}  // namespace headlight
