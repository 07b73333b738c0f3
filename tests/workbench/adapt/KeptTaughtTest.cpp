// SPDX-License-Identifier: GPL-3.0-or-later

// A taught model that nobody saved: opened from the program's own folder it is the same one; the
// folder stays within its bounds, and what cannot be written costs nothing else.

#include "core/workbench/adapt/KeptTaught.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <memory>
#include <set>
#include <string>

#include "core/workbench/adapt/TaughtModel.h"
#include "core/workbench/loading/WeightsName.h"
#include "tests/TemporaryFolder.h"
#include "tests/workbench/ExplanationSupport.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

/// Two classes that read the class token of the smallest DeiT; `first` makes it one of its own.
LinearHead smallHead(float first) {
  LinearHead head;
  head.token = "token";
  head.width = 24;
  head.classNames = {"dark \"a/b\"", "bright"};
  head.weight.assign(48, 0.01f);
  head.weight[0] = first;
  head.bias = {0.5f, -0.25f};
  head.mean.assign(24, 0);
  head.variance.assign(24, 1);
  return head;
}

std::unique_ptr<InferenceSession> smallBackbone() {
  return explanationSession(shrunk(findPublishedModel("deit_tiny")->config));
}

Image keptGrayImage() {
  return {32, 32, std::make_shared<const std::vector<std::uint8_t>>(32 * 32 * 3, 90)};
}

/// While it lives no file of this process grows: a disk that is full.
class NoRoomOnDisk {
 public:
  NoRoomOnDisk() : m_handler(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &m_before);
    rlimit limit = m_before;
    limit.rlim_cur = 1000;  // bytes
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~NoRoomOnDisk() {
    ::setrlimit(RLIMIT_FSIZE, &m_before);
    std::signal(SIGXFSZ, m_handler);
  }
  NoRoomOnDisk(const NoRoomOnDisk&) = delete;
  NoRoomOnDisk& operator=(const NoRoomOnDisk&) = delete;

 private:
  rlimit m_before{};
  void (*m_handler)(int);
};

class KeptTaught : public testing::Test {
 protected:
  std::unique_ptr<InferenceSession> taught(float first) {
    return valueOrThrow(withHead(*m_backbone, smallHead(first), m_masks));
  }
  /// The file's path.
  std::string kept(float first, const fs::path& inUse = {}) {
    const auto model = taught(first);
    EXPECT_TRUE(keepTaught(*model, m_masks, folder(), inUse));
    return model->info().weights.string();
  }
  fs::path folder() const { return m_folder / kTaughtFolder; }
  std::set<std::string> files() const {
    std::set<std::string> paths;
    for (const auto& entry : fs::directory_iterator(folder()))
      paths.insert(entry.path().string());
    return paths;
  }

  const TemporaryFolder m_folder;
  const std::unique_ptr<InferenceSession> m_backbone = smallBackbone();
  const MaskScheme m_masks = explanationMasks(*m_backbone);
};

TEST_F(KeptTaught, OpensAsTheSameModel) {
  const auto model = taught(1);
  ASSERT_TRUE(keepTaught(*model, m_masks, folder()));
  ModelSource source;
  source.weights = model->info().weights;
  source.device = "cpu";
  source.threads = 1;
  const auto opened = valueOrThrow(InferenceSession::open(source));
  EXPECT_EQ(opened->info().classNames, model->info().classNames);
  EXPECT_EQ(opened->info().weightsName, model->info().weightsName);
  EXPECT_EQ(opened->info().weightsName, "random weights + probe");
  EXPECT_FALSE(opened->info().randomWeights || model->info().randomWeights);
  EXPECT_EQ(valueOrThrow(opened->infer(keptGrayImage(), m_masks)).logits,
            valueOrThrow(model->infer(keptGrayImage(), m_masks)).logits);
}

TEST_F(KeptTaught, TheSameClassifierIsKeptOnce) {
  EXPECT_EQ(kept(1), kept(1));
  EXPECT_NE(kept(1), kept(2));
  EXPECT_EQ(files().size(), 2u);
}

TEST_F(KeptTaught, TheOldestLeaveUnlessTheyAreInUseOrASessionNamesThem) {
  const std::string inUse = kept(100), named = kept(101), oldest = kept(102);
  for (const std::string& old : {inUse, named, oldest})
    fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(1));
  std::ofstream(m_folder / "session.previous.json") << R"({"weights": ")" << named << R"("})";
  std::ofstream(folder() / "notes.txt") << "a person's";
  for (std::size_t i = 0; i < kMostKeptTaught; ++i)
    kept(static_cast<float>(i), inUse);
  const auto all = files();
  EXPECT_FALSE(all.contains(oldest));
  EXPECT_TRUE(all.contains(inUse));
  EXPECT_TRUE(all.contains(named));
  EXPECT_TRUE(all.contains((folder() / "notes.txt").string()));
  EXPECT_EQ(all.size(), kMostKeptTaught + 3);
}

TEST_F(KeptTaught, WhatAKilledProgramLeftUnfinishedLeavesToo) {
  const fs::path part = folder() / "demo + probe-0123456789abcdef.safetensors.part77";
  fs::create_directories(folder());
  std::ofstream(part) << "half";
  for (std::size_t i = 0; i <= kMostKeptTaught; ++i)
    kept(static_cast<float>(i));
  EXPECT_FALSE(files().contains(part.string()));
}

TEST_F(KeptTaught, ALongNameIsShortened) {
  const auto first = taught(1);
  std::string name;
  while (name.size() < 200)
    name += "ü";
  const fs::path source = m_folder / (name + ".safetensors");
  ASSERT_TRUE(first->moveTo(source, m_masks));
  const auto again = valueOrThrow(withHead(*first, smallHead(2), m_masks));
  const auto done = keepTaught(*again, m_masks, folder());
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_TRUE(name.starts_with(again->info().weightsName));
}

TEST_F(KeptTaught, WhatCannotBeWrittenStaysAsItWas) {
  std::ofstream(folder()) << "a file where the folder would be";
  const auto model = taught(1);
  const auto done = keepTaught(*model, m_masks, folder());
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().text().find(kTaughtFolder), std::string::npos) << done.error().text();
  EXPECT_TRUE(model->info().weights.empty());
  EXPECT_EQ(valueOrThrow(model->infer(keptGrayImage(), m_masks)).logits.size(), 2u);
}

TEST_F(KeptTaught, AFullDiskLeavesNothingHalf) {
  const auto model = taught(1);
  Result<void> done;
  {
    const NoRoomOnDisk full;
    done = keepTaught(*model, m_masks, folder());
  }
  EXPECT_FALSE(done);
  EXPECT_TRUE(files().empty());
  EXPECT_TRUE(model->info().weights.empty());
  EXPECT_TRUE(keepTaught(*model, m_masks, folder()));
}

}  // namespace
}  // namespace headlight
