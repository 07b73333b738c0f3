// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What query-key-map found, for people and as JSON.

#include <filesystem>
#include <vector>

#include "app/cli/terminal/Terminal.h"
#include "core/workbench/pairs/QueryKeyMap.h"

namespace headlight::cli {

void printQueryKeyMap(const QueryKeyMap& map, Terminal& terminal);
/// `files`: of the image source, in its order; empty: a dataset's, which have no names.
Json queryKeyJson(const QueryKeyMap& map, const std::vector<std::filesystem::path>& files);

}  // namespace headlight::cli
