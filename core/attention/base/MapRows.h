// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Rows of a layer's maps that are made when they are asked for: of so many tokens that the maps of
// all layers would fill the memory. No torch type here.

#include <vector>

namespace headlight {

class MapRows {
 public:
  virtual ~MapRows() = default;
  /// Rows `first` to `first` + `count` of one head's map, [count, T]. From any thread.
  virtual std::vector<float> rows(int head, int first, int count) const = 0;
};

}  // namespace headlight
