// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The attention mechanisms by name.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/attention/base/Attention.h"

namespace headlight {

struct Mechanism {
  Variant variant;
  std::function<std::shared_ptr<Attention>(const AttentionOptions&)> make;
  std::function<void(CostCounter&, const AttentionOptions&)> count;
};

/// Every mechanism, in the order in which they are shown.
const std::vector<Mechanism>& mechanisms();
const Mechanism& findMechanism(const std::string& name);  ///< Throws Failure for an unknown one.

/// The mechanism registered as `name`. Throws Failure for an unknown one.
std::shared_ptr<Attention> makeAttention(const std::string& name, const AttentionOptions& options);

}  // namespace headlight
