// SPDX-License-Identifier: GPL-3.0-or-later

// What is known of a search before it begins: its own folder, and how long it takes.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/workbench/search/SearchEstimate.h"
#include "core/workbench/search/SearchFolder.h"
#include "core/workbench/search/SearchPlanJson.h"
#include "tests/training/Support.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

SearchPlan plannedSearch(const std::string& method) {
  SearchPlan plan{tinyExperiment(), {}};
  plan.options.method = method;
  return plan;
}

/// As a search that was begun there leaves it.
void begin(const fs::path& folder, const SearchPlan& plan) {
  fs::create_directories(folder);
  std::ofstream(folder / kSearchState) << Json{{"plan", searchPlanJson(checkedSearchPlan(plan))}};
}

TEST(SearchFolder, EveryMethodHasItsOwn) {
  const TemporaryFolder folder;
  const fs::path stem = folder / "demo";
  EXPECT_EQ(searchFolder(stem, plannedSearch("mait")), folder / "demo-mait");
  EXPECT_EQ(searchFolder(stem, plannedSearch("greedy")), folder / "demo-greedy");
}

TEST(SearchFolder, OtherSettingsHaveTheirOwnAndTheSameOnesGoOn) {
  const TemporaryFolder folder;
  const fs::path stem = folder / "demo";
  SearchPlan first = plannedSearch("random"), second = first;
  second.options.schemes = 7;
  begin(folder / "demo-random", first);
  EXPECT_EQ(searchFolder(stem, first), folder / "demo-random");
  EXPECT_EQ(searchFolder(stem, second), folder / "demo-random-2");
  begin(folder / "demo-random-2", second);
  EXPECT_EQ(searchFolder(stem, second), folder / "demo-random-2");
  // A name, a device and threads are no other search.
  first.experiment.name = "renamed";
  first.experiment.threads = 3;
  EXPECT_EQ(searchFolder(stem, first), folder / "demo-random");
  // What is there and no search is left alone.
  fs::create_directories(folder / "demo-greedy");
  std::ofstream(folder / "demo-greedy/notes.txt") << "mine";
  EXPECT_EQ(searchFolder(stem, plannedSearch("greedy")), folder / "demo-greedy-2");
}

TEST(SearchFolder, ASearchOfAnEarlierVersionGoesOnWhereItLies) {
  const TemporaryFolder folder;
  begin(folder / "demo", plannedSearch("mait"));
  EXPECT_EQ(searchFolder(folder / "demo", plannedSearch("mait")), folder / "demo");
  EXPECT_EQ(searchFolder(folder / "demo", plannedSearch("random")), folder / "demo-random");
}

TEST(SearchEstimate, CountsTheRoundsThatAreLeft) {
  const TemporaryFolder folder;
  SearchPlan plan = plannedSearch("mait");
  plan.experiment.training.epochs = 1000;
  const auto whole = valueOrThrow(estimateSearch(plan, folder / "out", {}));
  EXPECT_GT(whole.seconds, 0);
  EXPECT_FALSE(whole.atMost);
  for (const char* round : {"1-initial", "2-assigned"}) {
    fs::create_directories(folder / "out" / round);
    std::ofstream(folder / "out" / round / "finished.json") << "{}";
  }
  const auto rest = valueOrThrow(estimateSearch(plan, folder / "out", {}));
  EXPECT_GT(rest.seconds, 0);
  EXPECT_LT(rest.seconds, whole.seconds / 10);  // a thousand epochs less
}

TEST(SearchEstimate, IsABoundWhereASearchMayEndBefore) {
  const TemporaryFolder folder;
  const auto greedy = valueOrThrow(estimateSearch(plannedSearch("greedy"), folder / "out", {}));
  EXPECT_TRUE(greedy.atMost);
  EXPECT_EQ(searchTimeText(greedy).substr(0, 8), "at most ");
  const auto random = valueOrThrow(estimateSearch(plannedSearch("random"), folder / "out", {}));
  EXPECT_FALSE(random.atMost);
  EXPECT_EQ(searchTimeText(random).substr(0, 6), "about ");
  EXPECT_FALSE(fs::exists(folder / "out"));  // nothing is written
}

}  // namespace
}  // namespace headlight
