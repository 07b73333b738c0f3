// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The heads that run in linear time by one call: those that share their sets and rule. Internal to
// the kernels.

#include <ATen/ATen.h>

#include <functional>
#include <memory>
#include <vector>

#include "core/attention/kernels/heads/HeadLogits.h"

namespace headlight {

/// What some heads of a layer come to.
struct ListedHeads {
  at::Tensor output;  ///< [B, list, T, d]
  at::Tensor map;     ///< [B, list, T, T], detached; undefined unless asked for
};

struct HeadGroup {
  std::shared_ptr<const SelectedSets> sets;
  bool strict;                      ///< the rule is Forbid, not Multiply
  std::vector<std::int64_t> heads;  ///< of the layer
};

/// Runs the heads of `list` group by group and gives them in the list's order.
ListedHeads byGroups(const at::Tensor& qkv, int heads, const std::vector<std::int64_t>& list,
                     const HeadLogits& logits, bool wantMap,
                     const std::function<ListedHeads(const HeadGroup&)>& run);

/// int64 numbers on a device.
at::Tensor indexOn(const at::Device& device, const std::vector<std::int64_t>& values);

}  // namespace headlight
