// SPDX-License-Identifier: GPL-3.0-or-later

// Every command that writes files, on a disk that fails at one call or from one call on: it ends
// with all of its outputs or with an error that names the file, what stands under a final name is
// whole, and going on afterwards ends as if nothing had happened.

#include <algorithm>
#include <array>
#include <cerrno>

#include "core/workbench/hub/ModelFetch.h"
#include "tests/Effort.h"
#include "tests/faults/Saving.h"

namespace headlight::testing {
namespace {

constexpr int kExitSystem = 5;
constexpr std::array kErrors{ENOSPC, EIO, EACCES, EROFS};

class FaultTest : public SavingTest {
 protected:
  /// Fails `few` of its calls, times the effort; at most each in every way.
  void failSome(const Saving& saving, std::size_t few) {
    constexpr std::size_t kExplanations = 2 * kErrors.size();
    const Clean clean = runClean(saving);
    const SampleOfCalls sample = sampleOfCalls(clean.calls, 1);
    const std::size_t calls = clean.calls.size();
    const auto count =
        std::min(few * static_cast<std::size_t>(testEffort()), calls * kExplanations);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t method = (i % calls + i / calls) % kExplanations;
      failAt(saving, clean, {sample.at(i, count), kErrors[method / 2], method % 2 == 1});
    }
    RecordProperty("calls", static_cast<int>(calls));
    RecordProperty("faults", static_cast<int>(count));
  }

 private:
  void failAt(const Saving& saving, const Clean& clean, const Fault& fault) {
    const Call& call = clean.calls[static_cast<std::size_t>(fault.at) - 1];
    SCOPED_TRACE(describe(fault) + ", " + call.name + " " + call.path.string());
    const fs::path folder = begin(saving);
    const Outcome outcome = runWithFault(folder, saving.arguments, fault, saving.variables).outcome;
    EXPECT_EQ(outcome.signal, 0);
    EXPECT_FALSE(outcome.timedOut);
    expectWhole(folder);
    if (outcome.exitCode == 0) {
      EXPECT_EQ(differenceOf(clean.outputs, outputsOf(folder / "out")), "")
          << "it says that all is well:\n"
          << outcome.out << outcome.err;
      return;
    }
    // Where everything fails from some call on, which of the files it is about is open.
    expectError(outcome, kExitSystem, {fault.forever ? "out" : finalName(call.path)});
    expectGoesOn(saving, clean, folder);
  }

  void expectGoesOn(const Saving& saving, const Clean& clean, const fs::path& folder) {
    const Outcome outcome =
        runWithFault(folder, next(saving, folder), {}, saving.variables).outcome;
    expectOk(outcome);
    EXPECT_EQ(differenceOf(clean.outputs, outputsOf(folder / "out")), "") << "after going on";
  }
};

TEST_F(FaultTest, Train) {
  failSome(training(), 10);
}
TEST_F(FaultTest, Resume) {
  failSome(resuming(), 5);
}
TEST_F(FaultTest, Sweep) {
  failSome(sweeping(), 6);
}
TEST_F(FaultTest, SequenceTrain) {
  failSome(sequenceTraining(), 6);
}
TEST_F(FaultTest, Convert) {
  failSome(converting(), 4);
}
TEST_F(FaultTest, MakeDataset) {
  failSome(makingADataset(), 5);
}
TEST_F(FaultTest, Attend) {
  failSome(attending(), 5);
}
TEST_F(FaultTest, Predict) {
  failSome(predicting(), 2);
}
TEST_F(FaultTest, Preprocess) {
  failSome(preprocessing(), 2);
}

TEST_F(FaultTest, Fetch) {
  if (!canFetch()) GTEST_SKIP() << "built without libcurl";
  failSome(fetching(), 16);
}
TEST_F(FaultTest, FetchOverACopy) {
  if (!canFetch()) GTEST_SKIP() << "built without libcurl";
  failSome(fetchingOverACopy(), 12);
}

}  // namespace
}  // namespace headlight::testing
