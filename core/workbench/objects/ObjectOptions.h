// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How an object is looked for without labels. No torch type here.

#include <string>

#include "core/config/Parameter.h"

namespace headlight {

struct ObjectOptions {
  std::string method = "lost";   ///< dino | lost | tokencut
  std::string feature = "keys";  ///< keys | queries | values | tokens; of lost and tokencut
  int layer = -1;                ///< −1: the last
  int head = -1;                 ///< of dino; −1: all, their masks joined
  double mass = 0.6;             ///< of dino: the share of the attention that is kept, (0, 1]
  int seeds = 100;               ///< of lost: k, patches of lowest degree that may join the seed
  double threshold = 0.2;        ///< of tokencut: τ, cosines above it are edges of weight 1
  double epsilon = 1e-5;         ///< of tokencut: the weight of all other edges
  bool operator==(const ObjectOptions&) const = default;
};

/// For flags, sessions and the checks.
const ParameterTable& objectParameters();

/// Throws Failure, InvalidArgument, for values out of range.
void requireObjectOptions(const ObjectOptions& options);

}  // namespace headlight
