// SPDX-License-Identifier: GPL-3.0-or-later

// Curves of runs as files.

#include "core/workbench/figures/RunFigure.h"

#include <gtest/gtest.h>

#include "core/base/files/Files.h"
#include "tests/TemporaryFolder.h"

namespace headlight {
namespace {

const std::vector<NamedCurve>& twoCurves() {
  static const std::vector<NamedCurve> curves = {{"a, \"b\"", {{1, 2}, {0.1, 1.0 / 3}, ""}},
                                                 {"c", {{1}, {2}, ""}}};
  return curves;
}

std::string written(const std::filesystem::path& path) {
  valueOrThrow(writeRunCurves(path, twoCurves(), {"loss", "training loss"}, RunAxis::Step));
  return valueOrThrow(readFile(path, 1u << 24));
}

TEST(RunFigure, NumbersAreThoseOfTheCurves) {
  EXPECT_EQ(runCurvesCsv(twoCurves(), RunAxis::Epoch),
            "line,epoch,value\n\"a, \"\"b\"\"\",1,0.1\n\"a, \"\"b\"\"\",2,0.333333333\nc,1,2\n");
  EXPECT_EQ(runCurvesCsv({}, RunAxis::Time), "line,minutes of training,value\n");
}

TEST(RunFigure, IsWrittenAsItsNameSays) {
  const TemporaryFolder folder;
  EXPECT_TRUE(written(folder / "a.pdf").starts_with("%PDF-"));
  EXPECT_TRUE(written(folder / "a.svg").starts_with("<svg "));
  EXPECT_TRUE(written(folder / "a.png").starts_with("\x89PNG"));
  EXPECT_EQ(written(folder / "a.csv"), runCurvesCsv(twoCurves(), RunAxis::Step));
  const auto refused = writeRunCurves(folder / "a.txt", {}, {}, RunAxis::Step);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
  EXPECT_FALSE(writeRunCurves(folder / "no/a.pdf", {}, {}, RunAxis::Step));
}

}  // namespace
}  // namespace headlight
