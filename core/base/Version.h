// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The version of this program. In a source of its own, so that a new one recompiles one file.

namespace headlight {

/// "0.3.0", as CMakeLists.txt has it.
extern const char* const kVersion;

}  // namespace headlight
