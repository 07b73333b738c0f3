// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which patches of an image a masked autoencoder sees (He et al. 2022, §3). Every draw is a function
// of a key alone (Random.h): a run that was resumed, one in parts and one of several processes keep
// the same patches.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace headlight {

/// ⌊patches · (1 − maskRatio)⌋, at least 1 and at most patches − 1. `patches` at least 2.
std::int64_t keptCount(std::int64_t patches, double maskRatio);

/// [keys, count] int64: of each key `count` of 0 … patches − 1, uniformly drawn, in rising order.
at::Tensor keptPatches(std::int64_t patches, std::int64_t count,
                       const std::vector<std::uint64_t>& keys);

/// The key of row `row` of the whole batch of step `step`.
std::uint64_t trainingKey(std::uint64_t seed, std::int64_t step, std::int64_t row);
/// The key of an image in evaluation, whatever the run: its place in the dataset.
std::uint64_t evaluationKey(std::int64_t image);

/// [B, patches] bool: those that `kept` [B, K] does not have.
at::Tensor droppedPatches(const at::Tensor& kept, std::int64_t patches);

}  // namespace headlight
