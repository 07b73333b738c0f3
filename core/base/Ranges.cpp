// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/Ranges.h"

#include "core/base/Text.h"

namespace headlight {

std::string rangesText(const std::vector<int>& numbers) {
  std::string text;
  for (std::size_t first = 0; first < numbers.size();) {
    std::size_t last = first;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1)
      ++last;
    addTo(text, std::to_string(numbers[first]));
    if (last > first) text += "-" + std::to_string(numbers[last]);
    first = last + 1;
  }
  return text;
}

}  // namespace headlight
