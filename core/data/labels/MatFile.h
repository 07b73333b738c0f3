// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// MATLAB's files of format 5, as far as a table (a struct array) of texts and numbers goes.

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace headlight {

/// A column of a struct array, entry by entry: texts, and whole numbers as text; empty for all
/// else.
using MatColumns = std::map<std::string, std::vector<std::string>>;

/// The named columns of the struct array `name`. Throws Failure (InvalidFile): another format,
/// damage, no such array or column, more than 64 MB unpacked.
MatColumns readMatTable(std::string_view bytes, const std::string& name,
                        const std::vector<std::string>& columns, const std::string& where);

}  // namespace headlight
