// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How long a search will take, before it is begun. No torch type here.

#include <filesystem>
#include <stop_token>
#include <string>

#include "core/base/Result.h"
#include "core/workbench/search/SchemeSearch.h"

namespace headlight {

struct SearchEstimate {
  double seconds = 0;   ///< of what is left
  bool atMost = false;  ///< it may end before: greedy stops where too much is lost
};

/// Measures a few small steps on the search's own data and counts up: MaiT's rounds that are not
/// finished in `output`, and the passes in which heads and schemes are measured. Seconds. Blocks;
/// nothing is written. Errors: Canceled, what keeps it from being trained or measured.
Result<SearchEstimate> estimateSearch(const SearchPlan& plan, const std::filesystem::path& output,
                                      const std::stop_token& stop);

/// "about 3:20", "at most 3:20".
std::string searchTimeText(const SearchEstimate& estimate);

}  // namespace headlight
