// SPDX-License-Identifier: GPL-3.0-or-later

// What an output replaces: the file that it is pointed at, as it was in all but its content.

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include "core/base/files/Files.h"
#include "core/base/files/OutputTarget.h"
#include "tests/TemporaryFolder.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

class OutputTest : public ::testing::Test {
 protected:
  Result<void> write(const fs::path& path, std::string_view bytes = "new") const {
    return writeFileAtomically(path, bytes);
  }
  std::string read(const fs::path& path) const { return valueOrThrow(readFile(path, 1000)); }
  void expectRefused(const fs::path& path, const std::string& words) const {
    const auto outcome = write(path);
    ASSERT_FALSE(outcome.ok()) << path;
    EXPECT_NE(outcome.error().text().find(words), std::string::npos) << outcome.error().text();
    EXPECT_NE(outcome.error().text().find(path.string()), std::string::npos);
  }

  TemporaryFolder folder;
};

TEST_F(OutputTest, ALinkStaysAndItsTargetIsReplaced) {
  fs::create_directories(folder / "there");
  ASSERT_TRUE(write(folder / "there/file", "old").ok());
  fs::create_symlink("there/file", folder / "near");
  fs::create_symlink(folder / "near", folder / "far");
  ASSERT_TRUE(write(folder / "far").ok());
  EXPECT_TRUE(fs::is_symlink(folder / "far"));
  EXPECT_TRUE(fs::is_symlink(folder / "near"));
  EXPECT_FALSE(fs::is_symlink(folder / "there/file"));
  EXPECT_EQ(read(folder / "there/file"), "new");
}

TEST_F(OutputTest, ALinkToNothingMakesItsTarget) {
  fs::create_symlink("later", folder / "link");
  ASSERT_TRUE(write(folder / "link").ok());
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(read(folder / "later"), "new");
  fs::create_symlink("no folder/file", folder / "lost");
  EXPECT_EQ(write(folder / "lost").error().code, ErrorCode::NotFound);
}

TEST_F(OutputTest, LinksInACircleAreRefused) {
  fs::create_symlink("b", folder / "a");
  fs::create_symlink("a", folder / "b");
  expectRefused(folder / "a", "circular");
  expectRefused(folder / "a/file", "circular");
  EXPECT_EQ(readFile(folder / "a", 10).error().code, ErrorCode::NotFound);
  EXPECT_TRUE(isThere(folder / "a")) << "opening it says more than that it is missing";
}

TEST_F(OutputTest, WhatIsNoFileIsRefusedAndStays) {
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  expectRefused(folder / "pipe", "a pipe");
  EXPECT_TRUE(fs::is_fifo(folder / "pipe"));
  fs::create_symlink("pipe", folder / "link");
  expectRefused(folder / "link", "a pipe");
  // By a link, so that a program that replaces what it is given spares the machine's own.
  fs::create_symlink("/dev/null", folder / "device");
  expectRefused(folder / "device", "a device");
  EXPECT_TRUE(fs::is_character_file(folder / "device"));
  fs::create_directories(folder / "folder");
  expectRefused(folder / "folder", "a folder");
}

TEST_F(OutputTest, PermissionsStay) {
  for (const mode_t mode : {0600, 0640, 0755}) {
    ASSERT_TRUE(write(folder / "file", "old").ok());
    ASSERT_EQ(::chmod((folder / "file").c_str(), mode), 0);
    ASSERT_TRUE(write(folder / "file").ok());
    struct stat status {};
    ASSERT_EQ(::stat((folder / "file").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, mode);
  }
}

TEST_F(OutputTest, AnotherOwnerStays) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may give files away";
  ASSERT_TRUE(write(folder / "file", "old").ok());
  ASSERT_EQ(::chown((folder / "file").c_str(), 4242, 4343), 0);
  ASSERT_TRUE(write(folder / "file").ok());
  struct stat status {};
  ASSERT_EQ(::stat((folder / "file").c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 4242u);
  EXPECT_EQ(status.st_gid, 4343u);
}

TEST_F(OutputTest, ANewFileTakesNothingsPlaceOnly) {
  ASSERT_TRUE(writeNewFile(folder / "file", "first").ok());
  EXPECT_FALSE(writeNewFile(folder / "file", "second").ok());
  EXPECT_EQ(read(folder / "file"), "first");
  fs::create_symlink("elsewhere", folder / "link");
  EXPECT_FALSE(writeNewFile(folder / "link", "second").ok());
  EXPECT_FALSE(fs::exists(folder / "elsewhere"));
}

}  // namespace
}  // namespace headlight
