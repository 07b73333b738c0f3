// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Where a head stands in a model.

#include <compare>

namespace headlight {

struct HeadPlace {
  int layer = 0;  ///< counted over the whole model
  int head = 0;
  auto operator<=>(const HeadPlace&) const = default;  // NOLINT(modernize-use-nullptr)
};

}  // namespace headlight
