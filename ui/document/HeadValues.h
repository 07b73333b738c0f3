// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Numbers that every head of every layer has: [layer][head].

#include <cstddef>
#include <optional>
#include <vector>

namespace headlight {

/// Nothing where there is no such head, as for the mean of heads (−1) and for layers whose
/// mechanism has no such number.
inline std::optional<float> headValue(const std::vector<std::vector<float>>& values, int layer,
                                      int head) {
  if (layer < 0 || head < 0 || layer >= static_cast<int>(values.size())) return std::nullopt;
  const std::vector<float>& heads = values[static_cast<std::size_t>(layer)];
  if (head >= static_cast<int>(heads.size())) return std::nullopt;
  return heads[static_cast<std::size_t>(head)];
}

}  // namespace headlight
