// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Lists, numbers and shapes as messages and files say them.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headlight {

/// The shortest text that reads back as the same number: "0.1", "1e-05".
std::string numberText(double value);

/// Makes "a, b" of "a".
void addTo(std::string& list, std::string_view part, std::string_view separator = ", ");
/// "a, b, c"; of more than `most`, "a, b and 7 more".
std::string joined(const std::vector<std::string>& parts, std::size_t most = SIZE_MAX);

/// "1 image", "12 images".
std::string countText(std::int64_t count, const std::string& one, const std::string& many);

/// A to Z in small letters, all else as it is: endings of names, words of a fixed list.
std::string lowered(std::string text);

/// A cell of CSV in quotes, those in it doubled (RFC 4180).
std::string csvQuoted(std::string_view text);

/// "[1, 3, 224]"; of more than 64 sizes, which no tensor has, the first.
std::string shapeText(std::span<const std::int64_t> shape);

}  // namespace headlight
