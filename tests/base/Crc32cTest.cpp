// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/Crc32c.h"

#include <gtest/gtest.h>

#include <string>

namespace headlight {
namespace {

// RFC 3720, appendix B.4, and the check value of the catalog of CRCs.
TEST(Crc32c, GivesThePublishedValues) {
  EXPECT_EQ(crc32cOf("123456789"), 0xe3069283u);
  EXPECT_EQ(crc32cOf(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(crc32cOf(std::string(32, '\xff')), 0x62a8ab43u);
  EXPECT_EQ(crc32cOf(""), 0u);
}

}  // namespace
}  // namespace headlight
