// SPDX-License-Identifier: GPL-3.0-or-later

// A large folder is listed once: what was found is kept, believed while its folders are as they
// were, and never believed for what it says of sizes, counts and names.

#include "core/data/files/RememberedScan.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <thread>

#include "core/base/Crc32.h"
#include "core/base/files/Files.h"
#include "core/data/files/ClassFolders.h"
#include "tests/data/CacheFolder.h"
#include "tests/data/Support.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

/// Times younger than two seconds are not believed.
void waitUntilSettled() {
  std::this_thread::sleep_for(std::chrono::milliseconds(2100));
}

std::vector<std::string> listed(const fs::path& folder) {
  std::vector<std::string> all;
  for (const ClassOfImages& one : imagesOfClasses(folder))
    for (const std::string& image : one.images)
      all.push_back(one.name + "/" + image);
  return all;
}

std::string bytesOf(const fs::path& path) {
  return valueOrThrow(readFile(path, 1u << 30));
}

/// The same bytes with the checksum that fits them.
std::string withCrc(const std::string& bytes) {
  const std::string rest = bytes.substr(8);
  return crcText(crc32Of(rest.data(), rest.size())) + rest;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return at == text.npos ? text : text.replace(at, from.size(), to);
}

/// Three classes, 1,200 files that are called images, one folder deeper.
void makeLargeFolder(const fs::path& data) {
  for (const std::string name : {"a", "b", "c/deeper"}) {
    fs::create_directories(data / name);
    for (int i = 0; i < 400; ++i)
      std::ofstream(data / name / (std::to_string(i) + ".jpg"));
  }
}

class LargeFolder : public testing::Test {
 protected:
  LargeFolder() { makeLargeFolder(data); }

  TemporaryFolder folder;
  fs::path data = folder / "data";
  test::CacheFolder cache;
};

TEST_F(LargeFolder, IsRememberedOnceItHasSettled) {
  const auto first = listed(data);
  EXPECT_EQ(first.size(), 1200u);
  EXPECT_EQ(first.back(), "c/deeper/399.jpg");
  EXPECT_TRUE(cache.onlyScan().empty()) << "changed in the moment in which it was listed";
  waitUntilSettled();
  EXPECT_EQ(listed(data), first);
  ASSERT_FALSE(cache.onlyScan().empty());
  EXPECT_EQ(listed(data), first);
}

TEST_F(LargeFolder, IsListedAgainAfterAnyChange) {
  const std::vector<std::function<void(const fs::path&)>> changes = {
      [](const fs::path& at) { std::ofstream(at / "a/more.jpg"); },
      [](const fs::path& at) { fs::remove(at / "b/3.jpg"); },
      [](const fs::path& at) { fs::rename(at / "c/deeper/9.jpg", at / "c/deeper/z.jpg"); },
      [](const fs::path& at) { fs::rename(at / "c/deeper", at / "c/other"); },
      [](const fs::path& at) { fs::rename(at / "b", at / "e"); },
      [](const fs::path& at) { fs::remove_all(at / "b"); },
      [](const fs::path& at) {  // and the time set back to what it was
        const auto before = fs::last_write_time(at / "a");
        fs::remove(at / "a/5.jpg");
        fs::last_write_time(at / "a", before);
      }};
  std::vector<fs::path> folders;
  for (std::size_t i = 0; i < changes.size(); ++i)
    makeLargeFolder(folders.emplace_back(folder / std::to_string(i)));
  waitUntilSettled();
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const auto before = listed(folders[i]);
    const auto kept = recallScan("image-folder with stills", fs::canonical(folders[i]));
    ASSERT_TRUE(kept.has_value()) << i;
    changes[i](folders[i]);
    EXPECT_FALSE(recallScan("image-folder with stills", fs::canonical(folders[i]))) << i;
    EXPECT_NE(listed(folders[i]), before) << i;
  }
}

TEST_F(LargeFolder, UsesTheSavedScan) {
  waitUntilSettled();
  listed(data);
  const fs::path scan = cache.onlyScan();
  ASSERT_FALSE(scan.empty());
  // A name that only the scan has proves that the folder was not listed.
  test::writeBytes(scan, withCrc(replaced(bytesOf(scan), "399.jpg", "soo.jpg")));
  EXPECT_EQ(listed(data).at(399), "a/soo.jpg");
}

TEST_F(LargeFolder, IsListedAnewWhereItsScanIsDamagedOrHostile) {
  waitUntilSettled();
  const auto right = listed(data);
  const fs::path scan = cache.onlyScan();
  ASSERT_FALSE(scan.empty());
  const std::string whole = bytesOf(scan);
  const std::string zero(1, '\0');
  const std::vector<std::string> bad = {
      "",
      "foreign",
      std::string(5000, '\0'),
      whole.substr(0, whole.size() / 2),
      withCrc(whole.substr(0, whole.size() / 2)),
      withCrc(whole.substr(0, whole.size() - 1)),
      withCrc(replaced(whole, "headlight scan 1", "headlight scan 9")),
      withCrc(replaced(whole, data.filename().string() + zero, "Data" + zero)),
      withCrc(replaced(whole, zero + "399.jpg", zero + "../../399.jpg")),
      withCrc(replaced(whole, zero + "399.jpg", zero + "/etc/9.jpg")),
      withCrc(replaced(whole, zero + "399.jpg", zero + "x/../9.jpg")),
      withCrc(replaced(whole, zero + "399.jpg", zero + "399.txt")),
      withCrc(replaced(whole, zero + "/" + zero + "a" + zero, zero + "/" + zero + ".." + zero))};
  for (std::size_t i = 0; i < bad.size(); ++i) {
    test::writeBytes(scan, bad[i]);
    EXPECT_EQ(listed(data), right) << i;
  }
  fs::remove(scan);
  fs::create_directory(scan);
  EXPECT_EQ(listed(data), right) << "a folder where the scan would be";
}

TEST_F(LargeFolder, IsListedWhereNothingCanBeKept) {
  test::writeBytes(cache.scans(), "a file where the folder would be");
  waitUntilSettled();
  EXPECT_EQ(listed(data).size(), 1200u);
}

TEST(RememberedScan, KeepsTheNewestSixtyFour) {
  const test::CacheFolder cache;
  const TemporaryFolder folder;
  for (int i = 0; i < 70; ++i) {
    const WatchedPaths nothing(folder / std::to_string(i));
    rememberScan("test", nothing, "found");
  }
  const auto kept = std::distance(fs::directory_iterator(cache.scans()), fs::directory_iterator());
  EXPECT_EQ(kept, 64);
  EXPECT_EQ(recallScan("test", folder / "69"), "found");
  EXPECT_FALSE(recallScan("test", folder / "0"));
  EXPECT_FALSE(recallScan("another", folder / "69"));
}

}  // namespace
}  // namespace headlight
