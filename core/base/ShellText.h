// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Text that a POSIX shell reads back as it was.

#include <string>
#include <string_view>

namespace headlight {

/// As it is where a shell takes nothing in it for its own, else in single quotes.
std::string shellQuoted(std::string_view text);

}  // namespace headlight
