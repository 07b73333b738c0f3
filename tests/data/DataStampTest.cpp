// SPDX-License-Identifier: GPL-3.0-or-later

// A dataset that changed is noticed, and what was changed is said.

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>

#include "core/data/files/DataStamp.h"
#include "tests/TemporaryFolder.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

TEST(DataStamp, OfFilesFollowsNamesSizesAndTimes) {
  const TemporaryFolder folder;
  const std::vector<fs::path> files{folder / "a.png", folder / "b.png"};
  for (const fs::path& file : files)
    std::ofstream(file) << "1234";
  const auto stamp = [&] { return fileStamp(folder.path(), files); };
  const std::string before = stamp();
  EXPECT_EQ(stampNote(before, stamp(), "training"), "");
  fs::last_write_time(files[0], fs::last_write_time(files[0]) + std::chrono::seconds(1));
  const std::string touched = stampNote(before, stamp(), "training");
  EXPECT_NE(touched.find("training data was rewritten"), std::string::npos) << touched;
  std::ofstream(files[0]) << "12345";
  const std::string changed = stampNote(before, stamp(), "validation");
  EXPECT_NE(changed.find("validation data changed since the run began"), std::string::npos)
      << changed;
}

TEST(DataStamp, OfMemoryIsTheChecksumOfItAll) {
  const std::string text = "123456789";
  EXPECT_EQ(memoryStamp(text.data(), 9), "cbf43926");
  EXPECT_EQ(memoryStamp(text.data() + 4, 5, memoryStamp(text.data(), 4)), "cbf43926");
  EXPECT_NE(stampNote("cbf43926", "cbf43927", "training"), "");
  EXPECT_EQ(stampNote("", "cbf43927", "training"), "") << "it was not known then";
}

}  // namespace
}  // namespace headlight
