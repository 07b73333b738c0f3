// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Text whose bytes may be anything: from a file, or drawn by a model.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace headlight {

/// Bytes of the UTF-8 character at the start of `text`, which is not empty; 0 if there is none
/// (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF).
std::size_t utf8Length(std::string_view text);

/// The characters of `text`; U+FFFD for every byte that is no UTF-8.
std::vector<char32_t> codePoints(std::string_view text);

/// Whether `text` ends in the first bytes of a longer character, that more bytes may complete.
bool endsWithinCharacter(std::string_view text);

/// Whether a whole UTF-8 character is one that terminals obey: U+0000 … U+001F, U+007F … U+009F.
bool isControl(std::string_view character);

/// Whether a whole UTF-8 character turns the direction of what follows or ends a line where nobody
/// sees it: U+2028 … U+202E, U+2066 … U+2069.
bool turnsText(std::string_view character);

/// What a terminal may be sent: '?' for every byte that is no UTF-8, for every control character
/// but the end of a line and the tab, and for what turns text.
std::string fitForTerminal(std::string_view text);

/// The same for text that belongs on one line, such as a name or a message: ends of lines and tabs
/// become spaces, so that nothing in it passes for a line of its own.
std::string fitForLine(std::string_view text);

}  // namespace headlight
