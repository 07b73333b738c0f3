// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Where a search lies beside others. No torch type here.

#include <filesystem>

#include "core/workbench/search/SchemeSearch.h"

namespace headlight {

/// A folder of its own for every search: `stem` with the method behind it ("searches/demo-greedy"),
/// and a number behind that ("searches/demo-greedy-2") where another search lies, of other settings.
/// Where this very search lies, that folder: it goes on there. Reads only.
std::filesystem::path searchFolder(const std::filesystem::path& stem, const SearchPlan& plan);

}  // namespace headlight
