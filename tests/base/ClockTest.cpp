// SPDX-License-Identifier: GPL-3.0-or-later

// Moments as files keep them and as people read them.

#include "core/base/Clock.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

namespace headlight {
namespace {

TEST(Clock, NowIsAMoment) {
  EXPECT_TRUE(isUtc(utcNow())) << utcNow();
}

TEST(Clock, WhatIsNoMomentIsToldFromOne) {
  EXPECT_TRUE(isUtc("2026-11-02T14:03:22Z"));
  EXPECT_TRUE(isUtc("2024-02-29T00:00:00Z"));
  for (const char* wrong : {"", "yesterday", "2026-11-02", "2026-11-02T14:03:22",
                            "2023-02-29T00:00:00Z", "2026-13-02T14:03:22Z", "2026-11-02T25:03:22Z",
                            "2026-11-02T14:03:22Z ", "2026-1-2T14:03:22Z", "99999-11-02T14:03:22Z"})
    EXPECT_FALSE(isUtc(wrong)) << wrong;
}

TEST(Clock, PeopleReadTheirOwnTime) {
  ::setenv("TZ", "UTC0", 1);
  ::tzset();
  EXPECT_EQ(dateText("2026-11-02T14:03:22Z"), "2 November 2026, 14:03");
  ::setenv("TZ", "XYZ-10", 1);  // ten hours ahead
  ::tzset();
  EXPECT_EQ(dateText("2026-12-31T14:03:22Z"), "1 January 2027, 00:03");
  ::unsetenv("TZ");
  ::tzset();
  EXPECT_EQ(dateText("some day"), "some day");
}

}  // namespace
}  // namespace headlight
