// SPDX-License-Identifier: GPL-3.0-or-later

// What a run's folder may hold: files that lead elsewhere, that are damaged, missing, of another
// run or changed are refused with the way out; what costs exactness alone is said.

#include <gtest/gtest.h>

#include <sys/stat.h>

#include <fstream>

#include "core/data/Export.h"
#include "core/workbench/session/ModelSnapshot.h"
#include "tests/training/Support.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

class RunFiles : public ::testing::Test {
 protected:
  /// A run that was stopped after seven of its ten steps.
  void stopped(const std::string& name, const Experiment& experiment) {
    ASSERT_TRUE(runUntil(*begin(experiment, m_folder / name), 7));
  }
  void SetUp() override { stopped("run", tinyExperiment()); }

  fs::path file(const std::string& name) const { return m_folder / ("run/" + name); }

  /// What resuming says when it refuses; the run's files are as they were.
  std::string refusal(const std::string& mostly) const {
    const auto session = TrainingSession::resume(m_folder / "run");
    EXPECT_FALSE(session) << mostly;
    return session ? "" : session.error().text();
  }
  void expectRefused(const std::string& mostly, const std::vector<std::string>& words) const {
    const std::string said = refusal(mostly);
    for (const std::string& word : words)
      EXPECT_NE(said.find(word), std::string::npos) << word << " is not in: " << said;
  }
  void setConfig(const std::string& pointer, const Json& value) const {
    Json config = Json::parse(std::ifstream(file("config.json")));
    config[Json::json_pointer(pointer)] = value;
    std::ofstream(file("config.json")) << config.dump();
  }
  std::string warningsOnResuming() const {
    std::string all;
    for (const std::string& warning : resume(m_folder / "run")->takeUpdate().warnings)
      all += warning + "\n";
    return all;
  }

  TemporaryFolder m_folder;
};

TEST_F(RunFiles, AreNeverReachedThroughALink) {
  std::ofstream(m_folder / "precious") << "precious\n";
  for (const char* name : {"metrics.jsonl", "metrics.csv", "masks.jsonl", ".lock", "config.json",
                           "last.safetensors", "best.safetensors", "epoch-0001.safetensors"}) {
    const bool there = fs::exists(file(name));
    if (there) fs::rename(file(name), m_folder / "kept");
    fs::create_symlink("../precious", file(name));
    expectRefused(name, {name, "symbolic link"});
    fs::remove(file(name));
    ASSERT_EQ(::mkfifo(file(name).c_str(), 0600), 0);
    expectRefused(name, {name, "pipe"});
    fs::remove(file(name));
    if (there) fs::rename(m_folder / "kept", file(name));
  }
  EXPECT_EQ(linesOf(m_folder / "precious"), std::vector<std::string>{"precious"});
  runToEnd(*resume(m_folder / "run"));
}

TEST_F(RunFiles, StayTogetherWhereverTheFolderIsMoved) {
  auto first = begin(tinyExperiment(), m_folder / "a");
  Experiment other = tinyExperiment();
  other.seed = 8;
  std::unique_ptr<TrainingSession> second;
  const auto outcome = runWith(*first, [&](std::int64_t step) {
    if (step != 2) return;
    fs::rename(m_folder / "a", m_folder / "b");
    second = begin(other, m_folder / "a");
  });
  ASSERT_TRUE(outcome) << outcome.error().text();
  EXPECT_EQ(fs::canonical(outcome->last), fs::canonical(m_folder / "b/last.safetensors"));
  EXPECT_FALSE(fs::exists(m_folder / "a/last.safetensors"));
  runToEnd(*second);
  first.reset();
  second.reset();
  runToEnd(*begin(tinyExperiment(), m_folder / "alone"));
  expectSame(lastTensors(m_folder / "alone"), lastTensors(m_folder / "b"));
  EXPECT_EQ(linesOf(m_folder / "b/metrics.jsonl").size(),
            linesOf(m_folder / "alone/metrics.jsonl").size());
}

TEST_F(RunFiles, CarryOneIdAndThoseOfAnotherAreRefused) {
  Experiment other = tinyExperiment();
  other.seed = 8;
  stopped("other", other);
  const Json config = Json::parse(std::ifstream(file("config.json")));
  const std::string id = config["run"];
  EXPECT_EQ(id.size(), 16u);
  EXPECT_EQ(valueOrThrow(readSafetensors(file("last.safetensors"))).metadata.at("run"), id);
  EXPECT_EQ(valueOrThrow(readSafetensors(file("best.safetensors"))).metadata.at("run"), id);
  for (const std::string& line : linesOf(file("metrics.jsonl")))
    EXPECT_EQ(Json::parse(line)["run"], id);
  EXPECT_NE(linesOf(file("metrics.csv")).back().find("," + id + ","), std::string::npos);
  for (const char* name :
       {"last.safetensors", "best.safetensors", "metrics.jsonl", "metrics.csv"}) {
    fs::copy_file(file(name), m_folder / "kept");
    const fs::path foreign = m_folder / ("other/" + std::string(name));
    const auto size = fs::file_size(foreign);
    fs::copy_file(foreign, file(name), fs::copy_options::overwrite_existing);
    expectRefused(name, {name, "another run"});
    EXPECT_EQ(fs::file_size(file(name)), size) << "it was cut";
    fs::remove(file(name));
    fs::rename(m_folder / "kept", file(name));
  }
  runToEnd(*resume(m_folder / "run"));
}

TEST_F(RunFiles, AFlippedBitOfTheCheckpointIsRefused) {
  std::string bytes = valueOrThrow(readFile(file("last.safetensors"), 1u << 26));
  bytes[bytes.size() - 5] = static_cast<char>(bytes[bytes.size() - 5] ^ 1);
  std::ofstream(file("last.safetensors"), std::ios::binary) << bytes;
  expectRefused("a bit", {"last.safetensors", "damaged"});
}

TEST_F(RunFiles, ACheckpointThatIsMissingIsNoBeginning) {
  const auto before = fs::last_write_time(file("best.safetensors"));
  fs::remove(file("last.safetensors"));
  expectRefused("missing", {"last.safetensors", "is missing", "Restore it"});
  EXPECT_EQ(fs::last_write_time(file("best.safetensors")), before);
  // The folder came without what begins with a dot.
  fs::remove(file(".lock"));
  expectRefused("missing", {"last.safetensors", "is missing"});
  // In the first epoch there are no other weights yet.
  ASSERT_TRUE(runUntil(*begin(tinyExperiment(), m_folder / "early"), 4));
  fs::remove(m_folder / "early/last.safetensors");
  EXPECT_FALSE(TrainingSession::resume(m_folder / "early"));
}

TEST_F(RunFiles, AChangedConfigIsNamedKeyByKey) {
  const std::string before = valueOrThrow(readFile(file("config.json"), 1u << 20));
  setConfig("/training/epochs", 9);
  setConfig("/model/width", 32);
  expectRefused("changed", {"config.json", "training.epochs is 9 there and 2 in last.safetensors",
                            "model.width is 32 there and 16", "Restore the values"});
  std::ofstream(file("config.json")) << "{\"schema\": 1,";
  expectRefused("damaged", {"config.json", "delete it"});
  fs::remove(file("config.json"));
  const auto outcome = runToEnd(*resume(m_folder / "run"));  // written again from the checkpoint
  EXPECT_EQ(outcome.steps, 10);
  EXPECT_EQ(Json::parse(before), Json::parse(std::ifstream(file("config.json"))));
}

TEST_F(RunFiles, WhatChangesNothingThatIsLearnedMayBeChanged) {
  setConfig("/name", "renamed");
  setConfig("/threads", 2);
  const std::string said = warningsOnResuming();
  EXPECT_NE(said.find("threads is 2 there"), std::string::npos) << said;
  EXPECT_NE(said.find("1 threads (now 2)"), std::string::npos) << said;
  EXPECT_NE(said.find("bit-identical"), std::string::npos) << said;
  EXPECT_EQ(resume(m_folder / "run")->experiment().threads, 2);
}

TEST_F(RunFiles, AnImageOfAnotherContentIsToldOf) {
  DatasetSpec spec;
  spec.imageSize = 16;
  spec.trainSamples = 45;
  spec.validationSamples = 18;
  valueOrThrow(writeImageFolders(spec, m_folder / "data"));
  Experiment experiment = tinyExperiment();
  experiment.data.dataset = "image-folder";
  experiment.data.path = (m_folder / "data").string();
  fs::remove_all(m_folder / "run");
  stopped("run", experiment);
  EXPECT_EQ(warningsOnResuming(), "");
  fs::path victim;
  for (const auto& entry : fs::recursive_directory_iterator(m_folder / "data/train"))
    if (entry.is_regular_file()) victim = entry.path();
  std::ofstream(victim, std::ios::app) << "x";
  const std::string said = warningsOnResuming();
  EXPECT_NE(said.find("the training data changed since the run began"), std::string::npos) << said;
}

TEST_F(RunFiles, AFolderThatIsDeletedEndsTheRunWithNothingToResume) {
  auto session = begin(tinyExperiment(), m_folder / "gone");
  const auto outcome = runWith(*session, [&](std::int64_t step) {
    if (step == 4) fs::remove_all(m_folder / "gone");
  });
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::Io);
  EXPECT_NE(outcome.error().message.find("was deleted"), std::string::npos);
  EXPECT_NE(outcome.error().message.find("Nothing can be resumed"), std::string::npos);
  ASSERT_TRUE(session->snapshot());
  EXPECT_EQ(session->snapshot()->step, 4) << "the newest weights can still be saved by hand";
  EXPECT_FALSE(fs::exists(m_folder / "gone"));
}

}  // namespace
}  // namespace headlight
