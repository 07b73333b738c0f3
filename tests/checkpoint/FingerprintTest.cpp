// SPDX-License-Identifier: GPL-3.0-or-later

// Fingerprints of files: known values, and that a change is noticed.

#include <gtest/gtest.h>

#include <fstream>

#include "core/checkpoint/Fingerprint.h"
#include "tests/TemporaryFolder.h"

namespace headlight {
namespace {

std::string fingerprintOf(const std::string& bytes) {
  TemporaryFolder folder;
  std::ofstream(folder / "file", std::ios::binary) << bytes;
  return valueOrThrow(fileFingerprint(folder / "file"));
}

TEST(Fingerprint, IsSizeAndCrc32) {
  EXPECT_EQ(fingerprintOf("123456789"), "9 bytes, cbf43926");  // the check value of CRC-32
  EXPECT_EQ(fingerprintOf(""), "0 bytes, 00000000");
}

TEST(Fingerprint, NoticesAByteBeyondTheFirstPiece) {
  std::string bytes(3'000'000, 'a');
  const std::string before = fingerprintOf(bytes);
  bytes[2'500'000] = 'b';
  EXPECT_NE(fingerprintOf(bytes), before);
}

TEST(Fingerprint, OfAMissingFileIsAnError) {
  TemporaryFolder folder;
  const auto missing = fileFingerprint(folder / "nowhere");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::NotFound);
  EXPECT_EQ(missing.error().where, (folder / "nowhere").string());
}

}  // namespace
}  // namespace headlight
