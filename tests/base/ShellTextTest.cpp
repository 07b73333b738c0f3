// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/ShellText.h"

#include <gtest/gtest.h>

namespace headlight {
namespace {

TEST(ShellText, IsQuotedOnlyWhereAShellWouldReadItOtherwise) {
  EXPECT_EQ(shellQuoted("runs/a-1.json"), "runs/a-1.json");
  EXPECT_EQ(shellQuoted("a b"), "'a b'");
  EXPECT_EQ(shellQuoted("it's"), "'it'\\''s'");
  EXPECT_EQ(shellQuoted("$(x)"), "'$(x)'");
  EXPECT_EQ(shellQuoted(""), "''");
  EXPECT_EQ(shellQuoted("ä"), "'ä'");
}

}  // namespace
}  // namespace headlight
