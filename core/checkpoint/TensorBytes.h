// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Bytes of a file as a tensor. Internal.

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "core/checkpoint/ByteSource.h"

namespace headlight {

/// A new CPU tensor of `shape` and `dtype` with the bytes at `offset`. The caller has checked the
/// size against the file. Refuses booleans that are neither 0 nor 1: C++ does not define them.
at::Tensor readTensor(const ByteSource& source, std::uint64_t offset,
                      const std::vector<std::int64_t>& shape, c10::ScalarType dtype,
                      const std::string& tensorName);

}  // namespace headlight
