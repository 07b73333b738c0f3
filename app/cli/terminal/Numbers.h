// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Numbers in the words of a command line.

#include <optional>
#include <string_view>

namespace headlight::cli {

/// The whole text as a whole number; nothing where it is none.
std::optional<int> wholeNumber(std::string_view text);

/// Pixels: one number for both sides or HEIGHTxWIDTH, each 8 to 4096.
struct ImageSize {
  int height = 0, width = 0;
};
std::optional<ImageSize> parseImageSize(std::string_view text);

}  // namespace headlight::cli
