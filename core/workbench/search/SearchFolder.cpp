// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/search/SearchFolder.h"

#include "core/base/files/Files.h"
#include "core/config/ConfigText.h"
#include "core/workbench/search/SearchPlanJson.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr int kMostFolders = 1000;

/// Whether it holds this very search.
bool holds(const fs::path& folder, const SearchPlan& checked) {
  const auto text = readFile(folder / kSearchState, kMaxSearchState);
  const Json read = text ? jsonOrDiscarded(*text) : Json();
  return read.is_object() && read.contains("plan") && read["plan"].is_object() &&
         !searchDifference(checked, read["plan"]);
}

bool isFree(const fs::path& folder) {
  std::error_code ignored;
  return !fs::exists(folder, ignored) || fs::is_empty(folder, ignored);
}

fs::path withSuffix(fs::path stem, const std::string& suffix) {
  return stem += "-" + suffix;
}

}  // namespace

fs::path searchFolder(const fs::path& stem, const SearchPlan& plan) {
  fs::path own = withSuffix(stem, plan.options.method);
  const auto checked = guarded("search", [&] { return checkedSearchPlan(plan); });
  if (!checked) return own;
  if (holds(stem, *checked)) return stem;  // of a version that named it so
  for (int i = 1; i <= kMostFolders; ++i) {
    fs::path folder = i == 1 ? own : withSuffix(own, std::to_string(i));
    if (isFree(folder) || holds(folder, *checked)) return folder;
  }
  return own;
}

}  // namespace headlight
