// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Text files that a person wrote, line by line.

#include <string>
#include <string_view>
#include <vector>

namespace headlight {

/// `text` without the mark that some editors begin with.
std::string_view withoutMark(std::string_view text);

/// The lines of a text, whatever ends them; blank ones at its end are left out.
std::vector<std::string_view> splitLines(std::string_view text);

/// Without spaces and tabs around it.
std::string_view trimmed(std::string_view text);

/// Whether its first character that is no blank begins a list or an object.
bool isJsonText(std::string_view text);

}  // namespace headlight
