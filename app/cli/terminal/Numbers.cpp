// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/terminal/Numbers.h"

#include <charconv>

namespace headlight::cli {

std::optional<int> wholeNumber(std::string_view text) {
  int value = 0;
  const auto end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stopped != end || text.empty()) return std::nullopt;
  return value;
}

std::optional<ImageSize> parseImageSize(std::string_view text) {
  constexpr int kLeast = 8, kMost = 4096;
  const auto cross = text.find('x');
  const auto height = wholeNumber(text.substr(0, cross));
  const auto width = cross == std::string_view::npos ? height : wholeNumber(text.substr(cross + 1));
  for (const auto& side : {height, width})
    if (!side || *side < kLeast || *side > kMost) return std::nullopt;
  return ImageSize{*height, *width};
}

}  // namespace headlight::cli
