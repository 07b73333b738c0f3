// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include "core/base/Processor.h"
#include "core/base/Progress.h"
#include "core/base/Random.h"
#include "core/base/Ranges.h"
#include "core/base/files/Files.h"
#include "core/base/files/FolderLock.h"
#include "core/base/files/LockState.h"
#include "tests/TemporaryFolder.h"

namespace headlight {
namespace {

class Folder : public ::testing::Test {
 protected:
  const TemporaryFolder m_temporary;
  const std::filesystem::path path = m_temporary.path();
};

TEST(Ranges, AreWrittenShort) {
  EXPECT_EQ(rangesText({}), "");
  EXPECT_EQ(rangesText({4}), "4");
  EXPECT_EQ(rangesText({0, 1, 2, 3}), "0-3");
  EXPECT_EQ(rangesText({0, 2, 3, 7, 8, 9}), "0, 2-3, 7-9");
}

TEST(Result, AnExceptionsCallStackAndSourcesAreNotSaid) {
  const auto said = [](const char* what) { return failureMessage(std::runtime_error(what)); };
  EXPECT_EQ(said("a plain message"), "a plain message");
  EXPECT_EQ(said("sizes differ\nException raised from f at ../aten/F.cpp:12 (most recent call "
                 "first):\nframe #0: c10::Error"),
            "sizes differ");
  EXPECT_EQ(said("[enforce fail at alloc_cpu.cpp:66] . DefaultCPUAllocator: can't allocate memory: "
                 "you tried to allocate 268435456 bytes. Error code 12\nframe #0: c10::Throw"),
            "not enough memory for this");
  EXPECT_EQ(said("[enforce fail at inline_container.cc:145] . file not found"), "file not found");
  EXPECT_EQ(said("x > 0 INTERNAL ASSERT FAILED at \"../c10/core/X.cpp\":41, please report a bug"),
            "x > 0 INTERNAL ASSERT FAILED, please report a bug");
  EXPECT_EQ(said("frame #0: nothing else"), "internal error");
}

using FilesTest = Folder;
using FolderLockTest = Folder;

TEST(FolderName, IsOfOneFolderThatIsSeen) {
  EXPECT_EQ(folderNameFrom("../x y/ä", "run"), "run.._x y_ä");
  EXPECT_EQ(folderNameFrom("/a\\b\n", "run"), "_a_b_");
  EXPECT_EQ(folderNameFrom("", "search"), "search");
  EXPECT_EQ(folderNameFrom("mine.2", "search"), "mine.2");
}

TEST_F(FilesTest, WritesAndReadsBack) {
  ASSERT_TRUE(writeFileAtomically(path / "a", std::string_view("one")).ok());
  ASSERT_TRUE(writeFileAtomically(path / "a", std::string_view("two")).ok());
  const auto bytes = readFile(path / "a", 100);
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(*bytes, "two");
}

TEST_F(FilesTest, AFailedWriteLeavesTheOldFileAndNothingElse) {
  ASSERT_TRUE(writeFileAtomically(path / "a", std::string_view("old")).ok());
  const auto outcome = writeFileAtomically(path / "a", [](const AppendBytes& append) {
    append("new", 3);
    throw std::runtime_error("broken off");
  });
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(*readFile(path / "a", 100), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path), {}), 1);
}

TEST_F(FilesTest, RefusesWhatIsTooLargeMissingOrNoFile) {
  ASSERT_TRUE(writeFileAtomically(path / "a", std::string_view("12345")).ok());
  EXPECT_EQ(readFile(path / "a", 4).error().code, ErrorCode::UnsupportedFile);
  EXPECT_EQ(readFile(path / "b", 4).error().code, ErrorCode::NotFound);
  EXPECT_EQ(readFile(path, 4).error().code, ErrorCode::UnsupportedFile);
  EXPECT_EQ(readFile("/dev/zero", 4).error().code, ErrorCode::UnsupportedFile);
}

TEST_F(FolderLockTest, IsHeldOnceAndReleased) {
  {
    const auto first = FolderLock::acquire(path);
    ASSERT_TRUE(first.ok());
    const auto second = FolderLock::acquire(path);
    ASSERT_FALSE(second.ok());
    EXPECT_EQ(second.error().code, ErrorCode::Busy);
  }
  EXPECT_TRUE(FolderLock::acquire(path).ok());
}

TEST_F(FolderLockTest, IsSharedAmongThoseWhoShareIt) {
  const OpenFolder folder = valueOrThrow(OpenFolder::open(path));
  const auto share = [&] { return FolderLock::acquire(folder, FolderLock::Kind::Shared); };
  {
    const auto first = share(), second = share();
    EXPECT_TRUE(first.ok());
    EXPECT_TRUE(second.ok());
    EXPECT_EQ(FolderLock::acquire(folder).error().code, ErrorCode::Busy);
    EXPECT_EQ(readLockState(folder), LockState::Held);
  }
  const auto alone = FolderLock::acquire(folder);
  EXPECT_TRUE(alone.ok());
  EXPECT_EQ(share().error().code, ErrorCode::Busy);
}

TEST_F(FolderLockTest, IsReleasedWhenItsProcessIsKilled) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto lock = FolderLock::acquire(path);
    const char byte = lock.ok() ? 'y' : 'n';
    if (::write(ready[1], &byte, 1) != 1) ::_exit(1);
    ::pause();
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  ASSERT_EQ(byte, 'y');
  EXPECT_FALSE(FolderLock::acquire(path).ok());
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(FolderLock::acquire(path).ok());
}

TEST(RandomTest, IsAFunctionOfItsKeyAlone) {
  RandomStream a(streamKey({1, 2, 3})), b(streamKey({1, 2, 3})), c(streamKey({1, 3, 2}));
  const auto first = a.next();
  EXPECT_EQ(first, b.next());
  EXPECT_NE(first, c.next());
  // Pinned: files and runs made with it must stay reproducible.
  EXPECT_EQ(mixBits(0), 0xe220a8397b1dcdafULL);
}

TEST(RandomTest, UniformAndNormalHaveTheirMoments) {
  RandomStream stream(7);
  double sum = 0, squares = 0, uniform = 0;
  constexpr int kDraws = 200000;
  for (int i = 0; i < kDraws; ++i) {
    const double x = stream.normal();
    sum += x;
    squares += x * x;
    uniform += stream.uniform();
  }
  EXPECT_NEAR(sum / kDraws, 0, 0.01);
  EXPECT_NEAR(squares / kDraws, 1, 0.02);
  EXPECT_NEAR(uniform / kDraws, 0.5, 0.005);
}

TEST(RandomTest, PermutationsHoldEveryIndexOnce) {
  const auto order = permutation(1000, 5);
  EXPECT_EQ(std::set<std::int64_t>(order.begin(), order.end()).size(), 1000u);
  EXPECT_EQ(order, permutation(1000, 5));
  EXPECT_NE(order, permutation(1000, 6));
}

TEST(ProgressTest, FormatsDurations) {
  EXPECT_EQ(formatDuration(72), "1:12");
  EXPECT_EQ(formatDuration(7389), "2:03:09");
  EXPECT_EQ(formatDuration(-1), "—");
  EXPECT_EQ(formatDuration(NAN), "—");
}

TEST(ResultTest, GuardedTurnsExceptionsIntoErrors) {
  const auto failed = guarded("here", []() -> int { throw std::runtime_error("broken"); });
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().text(), "here: broken");
  const auto passed = guarded("here", [] { return 3; });
  EXPECT_EQ(passed.value(), 3);
  const auto inner = guarded("here", []() -> Result<int> {
    return Error{ErrorCode::Busy, "later", "there"};
  });
  EXPECT_EQ(inner.error().code, ErrorCode::Busy);
}

TEST(Processor, OnlyKernelsFromBeforeTheProcessorAreReplaced) {
  const VectorUnits old{}, avx2{true, false}, avx512{true, true};
  EXPECT_EQ(fittingBlasCore("Prescott", old), "");
  EXPECT_EQ(fittingBlasCore("Prescott", avx2), "Haswell");
  EXPECT_EQ(fittingBlasCore("Prescott", avx512), "SkylakeX");
  EXPECT_EQ(fittingBlasCore("Sandybridge", avx2), "Haswell");
  for (const char* chosen : {"Haswell", "Zen", "SkylakeX", "Cooperlake"})
    EXPECT_EQ(fittingBlasCore(chosen, avx512), "") << chosen;
}

}  // namespace
}  // namespace headlight
