// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What tokenizers ask of a character: its general category, its lower case, whether it composes.

#include <string>

namespace headlight {

bool isLetter(char32_t character);  ///< \p{L}
bool isNumber(char32_t character);  ///< \p{N}
bool isMark(char32_t character);    ///< \p{M}: accents that follow their letter
bool isWhiteSpace(char32_t character);

/// Whether normalization form C may change the character, by itself or together with those before
/// it: combining accents, jamo, compatibility ideographs.
bool mayCompose(char32_t character);

/// One character, of U+0130 two; itself where there is none. Not by context: Σ becomes σ.
std::u32string lowerCase(char32_t character);

}  // namespace headlight
