// SPDX-License-Identifier: GPL-3.0-or-later

// Following a run on disk: what is new is handed out once, whatever becomes of the files.

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <optional>

#include "core/base/files/FolderLock.h"
#include "core/base/files/LockState.h"
#include "core/training/logs/MetricsLog.h"
#include "core/workbench/runs/RunCheckpoints.h"
#include "core/workbench/runs/RunFinder.h"
#include "core/workbench/runs/RunFollower.h"
#include "tests/TemporaryFolder.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

Experiment followedExperiment() {
  Experiment experiment;
  experiment.name = "followed";
  experiment.model.depth = 2;
  experiment.model.heads = 2;
  experiment.model.width = 16;
  experiment.training.epochs = 4;
  experiment.training.batchSize = 8;
  return experiment;
}

class RunFollowerTest : public ::testing::Test {
 protected:
  void SetUp() override { begin(); }

  void begin() {
    fs::create_directories(run());
    write("config.json", experimentToText(followedExperiment()));
  }
  fs::path run() const { return m_folder / "run"; }
  OpenFolder files() const { return valueOrThrow(OpenFolder::open(run())); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(run() / name, std::ios::binary) << text;
  }
  void append(const std::string& name, const std::string& text) const {
    std::ofstream(run() / name, std::ios::binary | std::ios::app) << text;
  }
  /// As a run writes it.
  void step(std::int64_t number, double loss = 1.5) const {
    MetricsLog log(files(), "0123456789abcdef");
    ASSERT_TRUE(log.step({{number, loss, 1e-3, 16, {}, {}}, 0, 1, 40}));
  }
  void epoch(std::int64_t number, double top1) const {
    MetricsLog log(files(), "0123456789abcdef");
    ASSERT_TRUE(log.epoch({number, number * 10, 1.0, 1.25, top1, top1, true}, 1e-3, 1));
  }
  void heads(std::int64_t at, float value) const {
    MetricsLog log(files(), "0123456789abcdef");
    const float none = std::numeric_limits<float>::quiet_NaN();
    ASSERT_TRUE(log.heads({at,
                           {{value, value}, {value, value}},
                           {{none, none}, {0.5f, none}},
                           {{}, {{"nonzeros", 0.25}}},
                           2}));
  }
  void hold() { m_lock.emplace(valueOrThrow(FolderLock::acquire(files()))); }

  TemporaryFolder m_folder;
  std::optional<FolderLock> m_lock;
};

std::vector<std::int64_t> stepsOf(const RunGrowth& growth) {
  std::vector<std::int64_t> steps;
  for (const StepPoint& point : growth.points.steps)
    steps.push_back(point.step);
  return steps;
}
std::string problemOf(const RunGrowth& growth) {
  return growth.standing.problem ? growth.standing.problem->text() : "";
}
using Steps = std::vector<std::int64_t>;

TEST_F(RunFollowerTest, HandsOutWhatIsNewOnce) {
  hold();
  RunFollower follower(run());
  RunGrowth growth = follower.poll();
  EXPECT_EQ(growth.standing.state, FollowedRunState::NotBegun);
  EXPECT_EQ(growth.standing.name, "followed");
  ASSERT_TRUE(growth.experiment);
  heads(0, 0.25f);
  step(1);
  step(2, 1.25);
  growth = follower.poll();
  EXPECT_EQ(stepsOf(growth), (Steps{1, 2}));
  ASSERT_EQ(growth.points.heads.size(), 1u);
  EXPECT_EQ(growth.points.heads[0].readings[1][0].second, 0.25);
  EXPECT_EQ(growth.standing.state, FollowedRunState::Training);
  EXPECT_TRUE(growth.standing.certain);
  const RunMetrics& now = growth.standing.numbers;
  EXPECT_EQ(now.step, 2);
  EXPECT_EQ(now.steps, 40);
  EXPECT_EQ(now.epoch, 1);
  EXPECT_EQ(now.epochs, 4);
  EXPECT_EQ(now.loss, 1.25);
  EXPECT_EQ(now.learningRate, 1e-3);
  EXPECT_EQ(now.locality, 0.25);
  EXPECT_DOUBLE_EQ(now.imagesPerSecond, 16);
  EXPECT_DOUBLE_EQ(now.secondsRemaining, 38 * 8 / 16.0);  // batches of 8 at 16 images a second
  EXPECT_TRUE(std::isnan(now.score));
  growth = follower.poll();
  EXPECT_TRUE(growth.points.empty());
  EXPECT_FALSE(growth.anew);
  epoch(1, 0.5);
  epoch(2, 0.25);
  growth = follower.poll();
  ASSERT_EQ(growth.points.epochPoints.size(), 2u);
  EXPECT_EQ(growth.standing.numbers.score, 0.25);
  EXPECT_EQ(growth.standing.numbers.bestScore, 0.5);
  EXPECT_EQ(growth.standing.numbers.epoch, 3);
  EXPECT_GE(growth.standing.secondsSinceLine, 0);
  EXPECT_LT(growth.standing.secondsSinceLine, 60);
}

TEST_F(RunFollowerTest, IsSettledWhileNothingCanHaveCome) {
  step(1);
  RunFollower follower(run());
  EXPECT_FALSE(follower.isSettled()) << "it was not looked at";
  follower.poll();
  EXPECT_TRUE(follower.isSettled());
  step(2);
  EXPECT_FALSE(follower.isSettled());
  follower.poll();
  EXPECT_TRUE(follower.isSettled());
  write("last.safetensors", "x");
  EXPECT_FALSE(follower.isSettled());
  follower.poll();
  hold();
  follower.poll();
  EXPECT_FALSE(follower.isSettled()) << "somebody trains it";
  m_lock.reset();
  follower.poll();
  EXPECT_TRUE(follower.isSettled());
  fs::rename(run(), m_folder / "elsewhere");
  EXPECT_FALSE(follower.isSettled());
}

TEST_F(RunFollowerTest, NamesTheWeightsThatWereKept) {
  EXPECT_TRUE(checkpointsIn(run()).empty());
  EXPECT_TRUE(checkpointsIn(m_folder / "nowhere").empty());
  for (const char* name : {"epoch-0005.safetensors", "epoch-0010.safetensors", "last.safetensors",
                           "best.safetensors", "epoch-5.safetensors", "epoch-x.safetensors"})
    write(name, "x");
  fs::create_symlink(run() / "best.safetensors", run() / "epoch-0020.safetensors");
  std::vector<std::string> names;
  for (const RunCheckpoint& kept : checkpointsIn(run()))
    names.push_back(kept.path.filename().string() + " " + std::to_string(kept.epoch));
  EXPECT_EQ(names,
            (std::vector<std::string>{"best.safetensors 0", "last.safetensors 0",
                                      "epoch-0010.safetensors 10", "epoch-0005.safetensors 5"}));
}

TEST_F(RunFollowerTest, ALineCountsOnceItHasAnEnd) {
  RunFollower follower(run());
  append("metrics.jsonl", "{\"type\":\"step\",\"step\":1,\"lo");
  EXPECT_TRUE(follower.poll().points.empty());
  append("metrics.jsonl", "ss\":2.5}");
  EXPECT_TRUE(follower.poll().points.empty());
  append("metrics.jsonl", "\n{\"type\":\"step\",\"step\":2");
  const RunGrowth growth = follower.poll();
  ASSERT_EQ(stepsOf(growth), (Steps{1}));
  EXPECT_EQ(growth.points.steps[0].loss, 2.5);
  append("metrics.jsonl", "}\n");
  EXPECT_EQ(stepsOf(follower.poll()), (Steps{2}));
}

TEST_F(RunFollowerTest, ARunThatIsCutBackIsReadAnew) {
  RunFollower follower(run());
  for (std::int64_t i = 1; i <= 6; ++i)
    step(i);
  EXPECT_EQ(stepsOf(follower.poll()).size(), 6u);
  MetricsLog log(files(), "0123456789abcdef");
  ASSERT_TRUE(log.cutTo(3, 0, 0));
  RunGrowth growth = follower.poll();
  EXPECT_TRUE(growth.anew);
  EXPECT_EQ(stepsOf(growth), (Steps{1, 2, 3}));
  // Cut back, and grown beyond where it was before anybody looked again.
  for (std::int64_t i = 4; i <= 6; ++i)
    step(i);
  EXPECT_EQ(stepsOf(follower.poll()), (Steps{4, 5, 6}));
  ASSERT_TRUE(MetricsLog(files(), "0123456789abcdef").cutTo(3, 0, 0));
  for (std::int64_t i = 4; i <= 9; ++i)
    step(i, 0.75);
  growth = follower.poll();
  EXPECT_TRUE(growth.anew);
  EXPECT_EQ(stepsOf(growth), (Steps{1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(growth.points.steps.back().loss, 0.75);
  EXPECT_EQ(growth.standing.numbers.step, 9);
}

TEST_F(RunFollowerTest, AnotherRunInItsPlaceIsReadAnew) {
  RunFollower follower(run());
  step(1);
  step(2);
  follower.poll();
  fs::remove_all(run());
  begin();
  step(1, 0.5);
  const RunGrowth growth = follower.poll();
  EXPECT_TRUE(growth.anew);
  EXPECT_EQ(stepsOf(growth), (Steps{1}));
  // In the same folder a config of another model: heads of another shape.
  Experiment other = followedExperiment();
  other.model.heads = 4;
  write("config.json", experimentToText(other));
  const RunGrowth changed = follower.poll();
  EXPECT_TRUE(changed.anew);
  EXPECT_EQ(changed.experiment->model.heads, 4);
  EXPECT_EQ(stepsOf(changed), (Steps{1}));
}

TEST_F(RunFollowerTest, AFolderThatVanishesMayComeBack) {
  RunFollower follower(run());
  step(1);
  follower.poll();
  fs::rename(run(), m_folder / "elsewhere");
  RunGrowth growth = follower.poll();
  EXPECT_EQ(growth.standing.state, FollowedRunState::Gone);
  EXPECT_FALSE(growth.anew) << "what was seen stays";
  EXPECT_EQ(growth.standing.numbers.step, 1);
  EXPECT_TRUE(growth.standing.problem);
  EXPECT_TRUE(hasEnded(growth.standing.state));
  EXPECT_EQ(growth.checkpoint, 0u);
  fs::rename(m_folder / "elsewhere", run());
  step(2);
  growth = follower.poll();
  EXPECT_FALSE(growth.anew);
  EXPECT_EQ(stepsOf(growth), (Steps{2}));
  EXPECT_EQ(RunFollower(m_folder / "never").poll().standing.state, FollowedRunState::NoRun);
}

TEST_F(RunFollowerTest, SaysHowItEnded) {
  hold();
  step(39);
  RunFollower follower(run());
  EXPECT_EQ(follower.poll().standing.state, FollowedRunState::Training);
  m_lock.reset();
  RunGrowth growth = follower.poll();
  EXPECT_EQ(growth.standing.state, FollowedRunState::CutOff) << "there is no checkpoint";
  EXPECT_LT(growth.standing.numbers.secondsRemaining, 0);
  epoch(4, 0.5);
  EXPECT_EQ(follower.poll().standing.state, FollowedRunState::Finished);
}

/// As where its lock is another machine's, or a container's.
TEST_F(RunFollowerTest, ARunThatGrowsWithoutAHolderIsJudgedByItsAge) {
  RunFollower follower(run());
  for (std::int64_t i = 1; i <= 2; ++i) {
    step(i);
    EXPECT_EQ(follower.poll().standing.state, FollowedRunState::CutOff);
  }
  step(3);
  RunGrowth growth = follower.poll();
  EXPECT_EQ(growth.standing.state, FollowedRunState::Training);
  EXPECT_FALSE(growth.standing.certain);
  epoch(4, 0.5);
  growth = follower.poll();
  EXPECT_EQ(growth.standing.state, FollowedRunState::Finished);
}

TEST_F(RunFollowerTest, TakesNoLockAndWritesNothing) {
  step(1);
  const auto before = fs::last_write_time(run());
  const auto count = std::distance(fs::directory_iterator(run()), fs::directory_iterator());
  RunFollower follower(run());
  follower.poll();
  follower.poll();
  EXPECT_EQ(std::distance(fs::directory_iterator(run()), fs::directory_iterator()), count);
  EXPECT_EQ(fs::last_write_time(run()), before);
  EXPECT_EQ(readLockState(files()), LockState::Free);
  hold();
  EXPECT_EQ(readLockState(files()), LockState::Held);
  follower.poll();
  m_lock.reset();
  EXPECT_EQ(readLockState(files()), LockState::Free);
}

TEST_F(RunFollowerTest, PassesOverDamagedLines) {
  append("metrics.jsonl",
         "no JSON\n\n[]\n{\"step\":\"x\"}\n{\"type\":7,\"step\":1}\n" + std::string(100000, '[') +
             "\n{\"type\":\"heads\",\"step\":1,\"als\":[[1]],\"alpha\":[]}\n"
             "{\"type\":\"step\",\"step\":5,\"loss\":\"?\"}\n{\"type\":\"step\",\"step\":4}\n" +
             std::string("\0\xff\xfe", 3) + "\n{\"type\":\"step\",\"step\":9223372036854775807}\n");
  append("masks.jsonl", "{\"step\":1}\n{}\nx\n");
  RunFollower follower(run());
  const RunGrowth growth = follower.poll();
  EXPECT_EQ(stepsOf(growth), (Steps{5, std::numeric_limits<std::int64_t>::max()}));
  EXPECT_TRUE(std::isnan(growth.points.steps[0].loss));
  EXPECT_TRUE(growth.points.heads.empty());
  EXPECT_TRUE(growth.points.edits.empty());
  EXPECT_FALSE(growth.standing.problem);
}

TEST_F(RunFollowerTest, StopsAtALineThatNoRunWrites) {
  step(1);
  append("metrics.jsonl", std::string((16u << 20) + 100000, 'x'));
  RunFollower follower(run());
  RunGrowth growth = follower.poll();
  EXPECT_EQ(stepsOf(growth), (Steps{1}));
  EXPECT_NE(problemOf(growth).find("16 MB"), std::string::npos) << problemOf(growth);
  growth = follower.poll();
  EXPECT_TRUE(growth.points.empty());
  EXPECT_TRUE(growth.standing.problem);
}

TEST_F(RunFollowerTest, FollowsNoLinkInTheFolder) {
  std::ofstream(m_folder / "secret") << "{\"type\":\"step\",\"step\":1}\n";
  fs::create_symlink(m_folder / "secret", run() / "metrics.jsonl");
  ASSERT_EQ(::mkfifo((run() / "masks.jsonl").c_str(), 0600), 0);
  const RunGrowth growth = RunFollower(run()).poll();
  EXPECT_TRUE(growth.points.empty());
  EXPECT_NE(problemOf(growth).find("symbolic link"), std::string::npos) << problemOf(growth);
}

TEST_F(RunFollowerTest, SaysWhatIsWrongWithTheConfig) {
  write("config.json", "{\"model\": 3}");
  RunFollower follower(run());
  RunGrowth growth = follower.poll();
  EXPECT_EQ(growth.standing.state, FollowedRunState::Unreadable);
  EXPECT_NE(problemOf(growth).find("model"), std::string::npos) << problemOf(growth);
  write("config.json", "{\"task\": \"sequence\"}");
  growth = follower.poll();
  EXPECT_NE(problemOf(growth).find("sequence"), std::string::npos);
  begin();
  step(1);
  growth = follower.poll();
  EXPECT_EQ(stepsOf(growth), (Steps{1})) << problemOf(growth);
  fs::remove(run() / "config.json");
  fs::create_directories(m_folder / "empty");
  growth = RunFollower(m_folder / "empty").poll();
  EXPECT_EQ(growth.standing.state, FollowedRunState::NoRun);
  EXPECT_NE(problemOf(growth).find("no config.json"), std::string::npos);
}

TEST_F(RunFollowerTest, WithoutPermissionItSaysSo) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  ::chmod(run().c_str(), 0);
  const RunGrowth growth = RunFollower(run()).poll();
  ::chmod(run().c_str(), 0700);
  EXPECT_EQ(growth.standing.state, FollowedRunState::Unreadable);
}

TEST_F(RunFollowerTest, ALongLogComesInFewPoints) {
  {
    std::ofstream log(run() / "metrics.jsonl");
    for (int i = 1; i <= 40000; ++i)
      log << "{\"type\":\"step\",\"step\":" << i << ",\"loss\":1}\n";
  }
  RunFollower follower(run());
  const RunGrowth growth = follower.poll();
  EXPECT_LE(growth.points.steps.size(), 16384u);
  EXPECT_GT(growth.points.steps.size(), 8000u);
  EXPECT_EQ(growth.standing.numbers.step, 40000);
  EXPECT_TRUE(follower.poll().points.empty());
}

TEST_F(RunFollowerTest, EditsTellTheMasksOfEveryStep) {
  const Experiment experiment = followedExperiment();
  const MaskScheme start =
      valueOrThrow(resolveMasks(experiment.masks, experiment.model.maskShape()));
  MaskScheme wanted = start;
  wanted.set(1, 0, *headMaskFromText("hard:3"));
  const MaskEdit edit = valueOrThrow(makeMaskEdit(start, wanted, "one head"));
  ASSERT_TRUE(MetricsLog(files(), "0123456789abcdef").edit({7, edit}));
  const RunGrowth growth = RunFollower(run()).poll();
  ASSERT_EQ(growth.points.edits.size(), 1u);
  EXPECT_EQ(valueOrThrow(masksAtStep(experiment, growth.points.edits, 6)).maskedHeads(), 0);
  EXPECT_EQ(valueOrThrow(masksAtStep(experiment, growth.points.edits, 7)).maskedHeads(), 1);
}

std::vector<fs::path> runsIn(const fs::path& path) {
  RunFinder finder(path);
  finder.poll();
  return finder.runs();
}

TEST_F(RunFollowerTest, FindsTheRunsOfASweep) {
  const fs::path sweep = m_folder / "sweep";
  for (const char* name : {"b/seed-0", "a/seed-1", "a/seed-0", "a/seed-0/inner"}) {
    fs::create_directories(sweep / name);
    std::ofstream(sweep / name / "config.json") << "{}";
  }
  fs::create_directories(sweep / "c/d/too-deep");
  std::ofstream(sweep / "c/d/too-deep/config.json") << "{}";
  fs::create_directory_symlink(run(), sweep / "a/seed-2");
  EXPECT_EQ(runsIn(sweep),
            (std::vector<fs::path>{sweep / "a/seed-0", sweep / "a/seed-1", sweep / "b/seed-0"}));
  EXPECT_EQ(runsIn(run()), (std::vector<fs::path>{run()}));
  EXPECT_TRUE(runsIn(m_folder / "none").empty());
  EXPECT_FALSE(isHeld(sweep));
  const auto lock = valueOrThrow(FolderLock::acquire(sweep));
  EXPECT_TRUE(isHeld(sweep));
}

}  // namespace
}  // namespace headlight
