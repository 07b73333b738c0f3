// SPDX-License-Identifier: GPL-3.0-or-later

// What is free, read off a /proc and a /sys of the test's own.

#include <gtest/gtest.h>

#include <fstream>

#include "core/base/FreeMemory.h"
#include "core/base/Result.h"
#include "tests/TemporaryFolder.h"

namespace headlight {
namespace {

void put(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

TEST(FreeMemory, IsWhatTheSystemHasAvailable) {
  const TemporaryFolder root;
  EXPECT_FALSE(freeMemory(root.path()));
  put(root / "proc/meminfo", "MemTotal:  9000 kB\nMemFree:  10 kB\nMemAvailable:   4000 kB\n");
  EXPECT_EQ(freeMemory(root.path()), 4000 * 1024);
}

TEST(FreeMemory, IsNoMoreThanAControlGroupLeaves) {
  const TemporaryFolder root;
  put(root / "proc/meminfo", "MemAvailable: 4000 kB\n");
  put(root / "proc/self/cgroup", "0::/outer/inner\n");
  put(root / "sys/fs/cgroup/outer/inner/memory.max", "max\n");
  put(root / "sys/fs/cgroup/outer/inner/memory.current", "5\n");
  EXPECT_EQ(freeMemory(root.path()), 4000 * 1024);
  // The outer group holds its members too; its page cache can be given back.
  put(root / "sys/fs/cgroup/outer/memory.max", "1000000\n");
  put(root / "sys/fs/cgroup/outer/memory.current", "700000\n");
  put(root / "sys/fs/cgroup/outer/memory.stat",
      "anon 1\ninactive_file 100000\nactive_file 50000\n");
  EXPECT_EQ(freeMemory(root.path()), 450000);
  put(root / "sys/fs/cgroup/outer/memory.current", "1300000\n");
  EXPECT_EQ(freeMemory(root.path()), 0);
}

TEST(FreeMemory, KnowsTheFirstVersionOfControlGroups) {
  const TemporaryFolder root;
  put(root / "proc/self/cgroup", "7:cpu,cpuacct:/a\n4:memory:/elsewhere\n");
  // A container sees its own group on top.
  put(root / "sys/fs/cgroup/memory/memory.limit_in_bytes", "5000000\n");
  put(root / "sys/fs/cgroup/memory/memory.usage_in_bytes", "2000000\n");
  put(root / "sys/fs/cgroup/memory/memory.stat", "total_inactive_file 7\ntotal_active_file 3\n");
  EXPECT_EQ(freeMemory(root.path()), 3000010);
}

TEST(FreeMemory, WhatDoesNotFitIsRefusedWithBothSizes) {
  requireMemory(1000, "a small thing", 1000);
  requireMemory(1000, "a thing nobody knows about", std::nullopt);
  try {
    requireMemory(12'900'000'000, "a model of 3224 million parameters", 2'040'000'000);
    FAIL() << "was not refused";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.error().code, ErrorCode::Io);
    for (const char* words : {"3224 million parameters", "12.9 GB", "2.0 GB are free"})
      EXPECT_NE(failure.error().message.find(words), std::string::npos) << failure.error().message;
  }
}

}  // namespace
}  // namespace headlight
