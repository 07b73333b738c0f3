// What a training of a sequence model writes down.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/training/MetricsLog.h"
#include "core/training/SequenceLog.h"
#include "tests/training/Support.h"

namespace headlight {
namespace {

SequenceValidation validationAt(std::int64_t step) {
  SequenceValidation validation;
  validation.step = step;
  validation.trainBits = 2.5;
  validation.validationBits = 3;
  validation.learningRate = 0.25;
  validation.best = true;
  validation.seconds = 1;
  return validation;
}

TEST(SequenceLog, AValidationThatCannotBeWrittenIsAddedOnceItCan) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "metrics.csv");  // in the way
  SequenceLog log(folder.path());
  EXPECT_FALSE(log.validation(validationAt(5)));
  std::filesystem::remove(folder / "metrics.csv");
  EXPECT_TRUE(log.validation(validationAt(10)));
  EXPECT_EQ(linesOf(folder / "metrics.csv"),
            (std::vector<std::string>{
                "step,learning_rate,train_bits,validation_bits,best,seconds",
                "5,0.25,2.5,3,1,1",
                "10,0.25,2.5,3,1,1",
            }));
  EXPECT_EQ(linesOf(folder / "metrics.jsonl").size(), 2u);
}

TEST(SequenceLog, LinesOfAnyKindAreCutWithoutATrace) {
  const TemporaryFolder folder;
  const std::string odd = R"({"type": 5, "step": 1})", none = R"({"step": 2})",
                    later = R"({"type": [], "step": 9})";
  const auto write = [&] {
    std::ofstream(folder / "metrics.jsonl") << odd << "\n" << none << "\n" << later << "\n";
  };
  const std::vector<std::string> kept{odd, none};
  write();
  SequencePosition position;
  position.step = 5;
  position.validatedStep = 0;
  const auto cut = SequenceLog(folder.path()).cutTo(position);
  EXPECT_TRUE(cut) << cut.error().text();
  EXPECT_EQ(linesOf(folder / "metrics.jsonl"), kept);
  write();
  const auto other = MetricsLog(folder.path()).cutTo(5, 0, 0);
  EXPECT_TRUE(other) << other.error().text();
  EXPECT_EQ(linesOf(folder / "metrics.jsonl"), kept);
}

}  // namespace
}  // namespace headlight
