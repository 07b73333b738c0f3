// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Where weights start that are added to a model which is there already (adapters): by a key of their
// own, so that the model's other draws stay what they were.

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace headlight {

/// `weight` [out, in] uniform within ±1/√in, as a linear layer's default, drawn from `key` in
/// double precision whatever its type.
void startUniformly(const at::Tensor& weight, std::uint64_t key);

}  // namespace headlight
