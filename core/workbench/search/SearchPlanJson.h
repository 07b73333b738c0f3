// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a search was asked for, as its folder keeps it. Internal to core/workbench/search.

#include <optional>
#include <string>

#include "core/workbench/search/SchemeSearch.h"

namespace headlight {

/// In a search's folder: its plan and what was measured so far.
inline constexpr const char* kSearchState = "search.json";
inline constexpr std::uintmax_t kMaxSearchState = 64u << 20;

/// With absolute paths; without what may be otherwise when it goes on: name, device, threads.
/// Throws Failure: options out of range, edits.
SearchPlan checkedSearchPlan(SearchPlan plan);
Json searchPlanJson(const SearchPlan& checked);
/// The place of the first setting in which `recorded`, a plan of this or an earlier version, is not
/// `checked`: "/options/method". Nothing: it is the same.
std::optional<std::string> searchDifference(const SearchPlan& checked, const Json& recorded);

}  // namespace headlight
