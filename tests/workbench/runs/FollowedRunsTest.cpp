// SPDX-License-Identifier: GPL-3.0-or-later

// A list of runs that is kept: what grew is told once, whatever becomes of the folders.

#include "core/workbench/runs/FollowedRuns.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <iostream>
#include <limits>

#include "core/base/files/FolderLock.h"
#include "tests/TemporaryFolder.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;
constexpr double kWhole = std::numeric_limits<double>::infinity();

class FollowedRunsTest : public ::testing::Test {
 protected:
  fs::path runs() const { return m_folder / "runs"; }

  void begin(const std::string& name, const std::string& config = "{}") const {
    fs::create_directories(runs() / name);
    std::ofstream(runs() / name / "config.json") << config;
  }
  void step(const std::string& name, int step, double loss = 1) const {
    std::ofstream(runs() / name / "metrics.jsonl", std::ios::app)
        << "{\"type\":\"step\",\"step\":" << step << ",\"loss\":" << loss << "}\n";
  }
  RunListUpdate poll() { return m_list.poll(kWhole); }
  std::vector<std::string> labels() const {
    std::vector<std::string> labels;
    for (const ListedRun& run : m_list.runs())
      labels.push_back(run.label);
    return labels;
  }

  TemporaryFolder m_folder;
  FollowedRuns m_list;
};

using Labels = std::vector<std::string>;

TEST_F(FollowedRunsTest, TellsWhatHasChangedAndNothingElse) {
  for (const char* name : {"a", "b/seed-0", "b/seed-1"})
    begin(name);
  m_list.setFolders({runs()});
  EXPECT_EQ(poll().changed.size(), 3u);
  EXPECT_EQ(labels(), (Labels{"a", "b/seed-0", "b/seed-1"}));
  EXPECT_TRUE(poll().changed.empty());
  step("b/seed-0", 4, 0.5);
  RunListUpdate news = poll();
  ASSERT_EQ(news.changed.size(), 1u);
  EXPECT_EQ(news.changed[0].label, "b/seed-0");
  EXPECT_EQ(news.changed[0].standing.numbers.step, 4);
  EXPECT_EQ(news.changed[0].standing.numbers.loss, 0.5);
  for (int round = 0; round < 40; ++round)  // those in which all are opened again too
    EXPECT_TRUE(poll().changed.empty()) << round;
}

TEST_F(FollowedRunsTest, RunsComeAndGo) {
  begin("a");
  begin("b");
  m_list.setFolders({runs()});
  poll();
  const std::uint64_t b = m_list.runs()[1].id;
  fs::remove_all(runs() / "a");
  begin("c/d");
  RunListUpdate news = poll();
  EXPECT_EQ(news.removed.size(), 1u);
  EXPECT_EQ(labels(), (Labels{"b", "c/d"}));
  EXPECT_EQ(m_list.runs()[0].id, b) << "it is the same as before";
  fs::remove_all(runs());
  EXPECT_EQ(poll().removed.size(), 2u);
  EXPECT_TRUE(m_list.runs().empty());
  begin("a");
  EXPECT_EQ(poll().changed.size(), 1u);
  m_list.setFolders({runs()}, {runs() / "a"});
  EXPECT_EQ(poll().removed.size(), 1u) << "it was taken out of the list";
  EXPECT_TRUE(fs::exists(runs() / "a/config.json"));
}

TEST_F(FollowedRunsTest, WhoeverStaysInTheListSaysThatItIsGone) {
  FollowedRuns watched(FollowedRuns::Vanished::Stay);
  watched.setFolders({runs()});
  watched.poll(kWhole);
  ASSERT_EQ(watched.runs().size(), 1u) << "the folder itself, until there is a run";
  EXPECT_EQ(watched.runs()[0].standing.state, FollowedRunState::NoRun);
  begin("a");
  watched.poll(kWhole);
  ASSERT_EQ(watched.runs().size(), 1u);
  EXPECT_EQ(watched.runs()[0].label, "a");
  fs::remove_all(runs() / "a");
  watched.poll(kWhole);
  ASSERT_EQ(watched.runs().size(), 1u);
  EXPECT_EQ(watched.runs()[0].standing.state, FollowedRunState::Gone);
}

TEST_F(FollowedRunsTest, CurvesGrowWithTheLog) {
  begin("a");
  begin("b");
  for (int i = 1; i <= 3; ++i)
    step("a", i);
  m_list.setFolders({runs()});
  EXPECT_TRUE(poll().histories.empty());
  const std::uint64_t a = m_list.runs()[0].id;
  EXPECT_EQ(m_list.history(a), nullptr);
  m_list.setCompared({a});
  RunListUpdate news = m_list.pollCompared();
  ASSERT_EQ(news.histories.count(a), 1u);
  EXPECT_EQ(news.histories[a]->steps.size(), 3u);
  EXPECT_TRUE(poll().histories.empty()) << "nothing came";
  step("a", 4);
  step("a", 5);
  news = poll();
  ASSERT_EQ(news.histories.count(a), 1u);
  EXPECT_EQ(news.histories[a]->steps.size(), 5u);
  EXPECT_EQ(news.histories[a]->steps.back().step, 5);
  fs::remove(runs() / "a/metrics.jsonl");  // begun anew
  step("a", 1, 9);
  news = poll();
  ASSERT_EQ(news.histories.count(a), 1u);
  ASSERT_EQ(news.histories[a]->steps.size(), 1u);
  EXPECT_EQ(news.histories[a]->steps[0].loss, 9);
}

TEST_F(FollowedRunsTest, EpochsBringTheirTime) {
  begin("a");
  std::ofstream(runs() / "a/metrics.csv")
      << "epoch,step,learning_rate,train_loss,run,seconds\n1,10,0.1,2,0123,61.5\n"
      << "x,y\n2,20,0.1,2,0123,nan\n2,20,0.1,2,0123,-5\n2,20,0.1,2,0123,60.25\n3,30,0.1,2,01";
  m_list.setFolders({runs()});
  poll();
  m_list.setCompared({m_list.runs()[0].id});
  auto news = m_list.pollCompared();
  ASSERT_EQ(news.histories.size(), 1u);
  const auto& times = news.histories.begin()->second->times;
  ASSERT_EQ(times.size(), 2u) << "damaged and half-written rows are passed over";
  EXPECT_EQ(times[0].epoch, 1);
  EXPECT_EQ(times[0].seconds, 61.5);
  EXPECT_EQ(times[1].seconds, 60.25);
}

/// It was resumed, and has written nothing yet: no file tells of it.
TEST_F(FollowedRunsTest, ARunThatIsHeldAgainIsSeenAfterAFewRounds) {
  begin("a");
  step("a", 1);
  std::ofstream(runs() / "a/.lock");
  m_list.setFolders({runs()});
  poll();
  EXPECT_EQ(m_list.runs()[0].standing.state, FollowedRunState::CutOff);
  const auto held = valueOrThrow(FolderLock::acquire(runs() / "a"));
  for (int round = 0; round < 15; ++round)
    poll();
  EXPECT_EQ(m_list.runs()[0].standing.state, FollowedRunState::Training);
}

TEST_F(FollowedRunsTest, ABoundIsSaid) {
  fs::create_directories(runs());
  RunFinder finder(runs());
  EXPECT_FALSE(finder.poll());
  EXPECT_EQ(finder.leftOut(), 0u);
  begin("a");
  EXPECT_TRUE(finder.poll());
  EXPECT_FALSE(finder.poll());
  EXPECT_EQ(finder.runs(), (std::vector<fs::path>{runs() / "a"}));
  std::stop_source stopped;
  stopped.request_stop();
  begin("b");
  EXPECT_FALSE(finder.poll(stopped.get_token())) << "what is not read is not new";
  EXPECT_TRUE(finder.poll());
  EXPECT_EQ(finder.runs().size(), 2u);
}

/// Times are told, not judged.
TEST_F(FollowedRunsTest, TenThousandRunsAreOneList) {
  constexpr int kRuns = 10000;
  for (int i = 0; i < kRuns; ++i) {
    const std::string name =
        std::string("v") + std::to_string(i / 100) + "/seed-" + std::to_string(i % 100);
    begin(name);
    step(name, i + 1);
  }
  m_list.setFolders({runs()});
  const auto timed = [](const char* what, const auto& work) {
    const auto began = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    std::cout << what << " of " << kRuns << " runs: " << took.count() << " s\n";
  };
  RunListUpdate news;
  timed("first round", [&] { news = poll(); });
  EXPECT_EQ(news.changed.size(), static_cast<std::size_t>(kRuns));
  EXPECT_EQ(news.leftOut, 0u);
  for (const char* what : {"idle round", "idle round"})
    timed(what, [&] { EXPECT_TRUE(poll().changed.empty()); });
  step("v7/seed-3", 100000, 0.125);
  fs::remove_all(runs() / "v8");
  begin("v9/new");
  timed("round with changes", [&] { news = poll(); });
  EXPECT_EQ(news.removed.size(), 100u);
  ASSERT_EQ(news.changed.size(), 2u);
  EXPECT_EQ(news.changed[0].label, "v7/seed-3");
  EXPECT_EQ(news.changed[0].standing.numbers.loss, 0.125);
  EXPECT_EQ(news.changed[1].label, "v9/new");
  // In turns, as the window has it.
  int turns = 0;
  timed("round in turns", [&] {
    do
      ++turns;
    while (m_list.poll(0.01).waiting > 0);
  });
  std::cout << turns << " turns of 10 ms\n";
}

}  // namespace
}  // namespace headlight
