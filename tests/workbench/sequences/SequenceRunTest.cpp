// SPDX-License-Identifier: GPL-3.0-or-later

// The folder of a sequence model's run: what leads elsewhere, is damaged, missing or another run's
// is refused, and what could not be written is not forgotten.

#include "tests/TemporaryFolder.h"
#include "tests/workbench/SequenceSupport.h"

namespace headlight {
namespace {

class SequenceRun : public ::testing::Test {
 protected:
  void SetUp() override {
    m_experiment = tinyText(writePatterns(m_folder / "text", 40));
    trainOrFail(m_experiment, m_folder / "run", false, 7);
  }
  fs::path file(const std::string& name) const { return m_folder / ("run/" + name); }
  Error refusal() const {
    const auto resumed = trainSequence(m_experiment, m_folder / "run", true, {}, {});
    EXPECT_FALSE(resumed);
    return resumed ? Error() : resumed.error();
  }
  void expectRefused(const std::vector<std::string>& words) const {
    const std::string said = refusal().text();
    for (const std::string& word : words)
      EXPECT_NE(said.find(word), std::string::npos) << word << " is not in: " << said;
  }

  TemporaryFolder m_folder;
  SequenceExperiment m_experiment;
};

TEST_F(SequenceRun, FollowsNoLinkInItsFolder) {
  std::ofstream(m_folder / "precious") << "precious";
  for (const char* name :
       {"metrics.jsonl", "metrics.csv", "last.safetensors", "best.safetensors"}) {
    fs::rename(file(name), m_folder / "kept");
    fs::create_symlink("../precious", file(name));
    expectRefused({name, "symbolic link"});
    fs::rename(m_folder / "kept", file(name));
  }
  EXPECT_EQ(fs::file_size(m_folder / "precious"), 8u);
}

TEST_F(SequenceRun, RefusesFilesOfAnotherRun) {
  SequenceExperiment other = m_experiment;
  other.seed = 8;
  trainOrFail(other, m_folder / "other", false, 7);
  for (const char* name :
       {"last.safetensors", "best.safetensors", "metrics.jsonl", "metrics.csv"}) {
    fs::copy_file(file(name), m_folder / "kept");
    fs::copy_file(m_folder / ("other/" + std::string(name)), file(name),
                  fs::copy_options::overwrite_existing);
    expectRefused({name, "another run"});
    fs::remove(file(name));
    fs::rename(m_folder / "kept", file(name));
  }
  trainOrFail(m_experiment, m_folder / "run", true);
}

TEST_F(SequenceRun, RefusesADamagedOrMissingCheckpoint) {
  std::string bytes = valueOrThrow(readFile(file("last.safetensors"), 1u << 26));
  bytes[bytes.size() - 3] = static_cast<char>(bytes[bytes.size() - 3] ^ 64);
  std::ofstream(file("last.safetensors"), std::ios::binary) << bytes;
  expectRefused({"last.safetensors", "damaged"});
  fs::remove(file("last.safetensors"));
  expectRefused({"last.safetensors", "is missing"});
}

TEST_F(SequenceRun, OwesWhatCouldNotBeWritten) {
  trainOrFail(m_experiment, m_folder / "whole");
  for (const char* name : {"best.safetensors", "metrics.csv"}) {
    const fs::path run = m_folder / name;
    const auto refused = trainSequence(m_experiment, run, false,
                                       [&](const SequenceReading& reading) {
                                         if (reading.step == 1) fs::create_directory(run / name);
                                       },
                                       {});
    ASSERT_FALSE(refused) << name;
    EXPECT_EQ(refused.error().code, ErrorCode::Io);
    EXPECT_NE(refused.error().message.find(name), std::string::npos) << refused.error().text();
    fs::remove(run / name);
    trainOrFail(m_experiment, run, true);
    for (const char* weights : {"last.safetensors", "best.safetensors"})
      EXPECT_EQ(valueOrThrow(readFile(m_folder / "whole" / weights, 1u << 26)),
                valueOrThrow(readFile(run / weights, 1u << 26)))
          << weights;
  }
}

TEST_F(SequenceRun, EndsWithItsFolder) {
  const auto outcome = trainSequence(m_experiment, m_folder / "gone", false,
                                     [&](const SequenceReading& reading) {
                                       if (reading.step == 3) fs::remove_all(m_folder / "gone");
                                     },
                                     {});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::Io);
  EXPECT_NE(outcome.error().message.find("Nothing can be resumed"), std::string::npos);
}

}  // namespace
}  // namespace headlight
