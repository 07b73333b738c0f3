// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/TensorBytes.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <bit>

#include "core/base/Translation.h"
#include "core/checkpoint/Refusal.h"

namespace headlight {

static_assert(std::endian::native == std::endian::little,
              "safetensors and .pth hold little-endian numbers");

at::Tensor readTensor(const ByteSource& source, std::uint64_t offset,
                      const std::vector<std::int64_t>& shape, c10::ScalarType dtype,
                      const std::string& tensorName) {
  at::Tensor tensor = at::empty(shape, at::TensorOptions().dtype(dtype).device(at::kCPU));
  const std::size_t bytes = tensor.nbytes();
  if (bytes == 0) return tensor;
  source.read(offset, tensor.data_ptr(), bytes);
  if (dtype == c10::ScalarType::Bool) {
    const auto* values = static_cast<const unsigned char*>(tensor.data_ptr());
    if (std::any_of(values, values + bytes, [](unsigned char value) { return value > 1; }))
      refuse(source.name(), "tensor " + inQuotes(tensorName) +
                                tr(" is of booleans, but holds bytes that are neither 0 nor 1: the "
                                   "file is damaged"));
  }
  return tensor;
}

}  // namespace headlight
