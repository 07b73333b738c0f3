// SPDX-License-Identifier: GPL-3.0-or-later

// An open folder: whatever lies in it or happens to its name, nothing outside it is touched.

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "core/base/files/FolderLock.h"
#include "core/base/files/OpenFolder.h"
#include "tests/TemporaryFolder.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

std::string textOf(const fs::path& path) {
  return valueOrThrow(readFile(path, 1000));
}

struct Folders {
  TemporaryFolder outer;
  OpenFolder inner = valueOrThrow(OpenFolder::make(outer / "inner"));
  Folders() { std::ofstream(outer / "precious") << "precious"; }
  fs::path path(const std::string& name) const { return outer / ("inner/" + name); }
};

TEST(OpenFolder, WritesReadsAndKeepsTheMode) {
  const Folders folders;
  ASSERT_TRUE(folders.inner.write("a", "one"));
  ASSERT_EQ(::chmod(folders.path("a").c_str(), 0600), 0);
  ASSERT_TRUE(folders.inner.write("a", "two"));
  EXPECT_EQ(valueOrThrow(folders.inner.read("a", 100)), "two");
  EXPECT_EQ(fs::status(folders.path("a")).permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(folders.inner.read("a", 2).error().code, ErrorCode::UnsupportedFile);
  EXPECT_EQ(folders.inner.read("b", 2).error().code, ErrorCode::NotFound);
}

TEST(OpenFolder, WritesBesideUnderANameOfItsMachine) {
  const Folders folders;
  char machine[65] = "";
  ASSERT_EQ(::gethostname(machine, sizeof machine - 1), 0);
  std::vector<std::string> names;
  ASSERT_TRUE(folders.inner.write("a", [&](const AppendBytes& append) {
    names = folders.inner.names();
    append("one", 3);
  }));
  const std::string beside = "a.part" + std::to_string(::getpid()) + "-" + machine;
  EXPECT_EQ(std::count(names.begin(), names.end(), beside), 1);
  EXPECT_FALSE(folders.inner.has(beside));
}

TEST(OpenFolder, FollowsNoLink) {
  const Folders folders;
  fs::create_symlink("../precious", folders.path("a"));
  EXPECT_EQ(folders.inner.read("a", 100).error().code, ErrorCode::UnsupportedFile);
  EXPECT_EQ(folders.inner.write("a", "new").error().code, ErrorCode::UnsupportedFile);
  EXPECT_FALSE(folders.inner.openToAppend("a"));
  EXPECT_FALSE(folders.inner.openLock("a"));
  EXPECT_FALSE(folders.inner.requireHarmless("a"));
  EXPECT_EQ(textOf(folders.outer / "precious"), "precious");
  fs::create_symlink("../nowhere", folders.path(".lock"));
  EXPECT_FALSE(FolderLock::acquire(folders.inner));
  EXPECT_FALSE(fs::exists(folders.outer / "nowhere")) << "a lock made what it points to";
  fs::create_directory_symlink("..", folders.path("b"));
  EXPECT_EQ(folders.inner.subfolder("b", true).error().code, ErrorCode::UnsupportedFile);
}

TEST(OpenFolder, RefusesPipesAndDevicesAtOnce) {
  const Folders folders;
  ASSERT_EQ(::mkfifo(folders.path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(folders.inner.read("pipe", 100).error().code, ErrorCode::UnsupportedFile);
  EXPECT_EQ(folders.inner.write("pipe", "x").error().code, ErrorCode::UnsupportedFile);
  EXPECT_EQ(folders.inner.openToAppend("pipe").error().code, ErrorCode::UnsupportedFile);
  // A device of the test's own, which root alone can make.
  if (::mknod(folders.path("device").c_str(), S_IFCHR | 0600, makedev(1, 5)) != 0) GTEST_SKIP();
  EXPECT_EQ(folders.inner.read("device", 100).error().code, ErrorCode::UnsupportedFile);
  EXPECT_EQ(folders.inner.write("device", "x").error().code, ErrorCode::UnsupportedFile);
  EXPECT_EQ(folders.inner.openToAppend("device").error().code, ErrorCode::UnsupportedFile);
}

TEST(OpenFolder, AddsNothingToAFileWithASecondName) {
  const Folders folders;
  fs::create_hard_link(folders.outer / "precious", folders.path("log"));
  EXPECT_EQ(folders.inner.openToAppend("log").error().code, ErrorCode::UnsupportedFile);
  ASSERT_TRUE(folders.inner.write("log", "replaced"));  // its own from now on
  EXPECT_EQ(textOf(folders.outer / "precious"), "precious");
  EXPECT_TRUE(folders.inner.openToAppend("log"));
}

TEST(OpenFolder, StaysTheSameWhereverItIsMoved) {
  const Folders folders;
  fs::rename(folders.outer / "inner", folders.outer / "moved");
  fs::create_directory(folders.outer / "inner");
  ASSERT_TRUE(folders.inner.write("a", "one"));
  EXPECT_EQ(textOf(folders.outer / "moved/a"), "one");
  EXPECT_TRUE(fs::is_empty(folders.outer / "inner"));
  EXPECT_EQ(fs::canonical(folders.inner.path()), fs::canonical(folders.outer / "moved"));
  // Held where it is, not under the name that it had.
  const auto lock = FolderLock::acquire(folders.inner);
  ASSERT_TRUE(lock);
  EXPECT_TRUE(FolderLock::acquire(folders.outer / "inner"));
  EXPECT_EQ(FolderLock::acquire(folders.outer / "moved").error().code, ErrorCode::Busy);
}

TEST(OpenFolder, KnowsThatItWasDeleted) {
  const Folders folders;
  EXPECT_FALSE(folders.inner.isGone());
  fs::remove_all(folders.outer / "inner");
  EXPECT_TRUE(folders.inner.isGone());
  const auto written = folders.inner.write("a", "one");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::Io);
  EXPECT_NE(written.error().message.find("deleted"), std::string::npos) << written.error().text();
}

TEST(OpenFolder, AFailedWriteLeavesTheOldFileAndNothingElse) {
  const Folders folders;
  ASSERT_TRUE(folders.inner.write("a", "old"));
  EXPECT_FALSE(folders.inner.write("a", [](const AppendBytes& append) {
    append("new", 3);
    throw std::runtime_error("broken off");
  }));
  EXPECT_EQ(valueOrThrow(folders.inner.read("a", 100)), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(folders.outer / "inner"), {}), 1);
}

TEST(FolderLock, PassesAWordOn) {
  const Folders folders;
  {
    const auto lock = valueOrThrow(FolderLock::acquire(folders.inner));
    EXPECT_EQ(lock.note(), "");
    ASSERT_TRUE(lock.setNote("step 3"));
  }
  EXPECT_EQ(valueOrThrow(FolderLock::acquire(folders.inner)).note(), "step 3");
}

}  // namespace
}  // namespace headlight
