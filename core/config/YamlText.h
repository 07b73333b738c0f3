// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// YAML as other programs read it: PyYAML, which is YAML 1.1, and those that know 1.2.

#include <string>
#include <string_view>

#include "core/config/Parameter.h"

namespace headlight {

/// A text in double quotes: whatever it holds, it is read back as that text. Bytes that are no
/// UTF-8 become U+FFFD.
std::string yamlQuoted(std::string_view text);

/// An object of nothing, truth values, numbers, texts and lists of these, a key a line, in the
/// order of the keys. Keys are plain words. Texts are quoted, since `no` and `1e3` stand for
/// something else; numbers with a fraction always have a point, without which YAML 1.1 reads 1e-05
/// as a text.
std::string yamlText(const Json& object);

}  // namespace headlight
