// SPDX-License-Identifier: GPL-3.0-or-later

// timm's spelling of RandAugment: what it means, and what is refused with what words.

#include "core/config/RandAugmentText.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/config/TrainingConfig.h"

namespace headlight {
namespace {

TEST(RandAugmentText, IsReadAsTimmReadsIt) {
  const auto deit = valueOrThrow(randAugmentFromText("rand-m9-mstd0.5-inc1"));
  EXPECT_EQ(deit.magnitude, 9);
  EXPECT_EQ(deit.operations, 2);
  EXPECT_EQ(deit.probability, 0.5);
  EXPECT_EQ(deit.deviation, 0.5);
  EXPECT_EQ(deit.greatest, 10);
  EXPECT_TRUE(deit.increasing);
  const auto plain = valueOrThrow(randAugmentFromText("rand"));
  EXPECT_EQ(plain.magnitude, 10);
  EXPECT_EQ(plain.deviation, 0);
  EXPECT_FALSE(plain.increasing);
  const auto other = valueOrThrow(randAugmentFromText("rand-p0.25-mmax30-n4-mstd101-m20"));
  EXPECT_EQ(other.magnitude, 20);
  EXPECT_EQ(other.operations, 4);
  EXPECT_EQ(other.probability, 0.25);
  EXPECT_EQ(other.greatest, 30);
  EXPECT_TRUE(std::isinf(other.deviation));
  EXPECT_TRUE(std::isinf(valueOrThrow(randAugmentFromText("rand-mstdinf")).deviation));
  EXPECT_EQ(valueOrThrow(randAugmentFromText("rand-mstd100")).deviation, 100);
}

TEST(RandAugmentText, RefusesOtherSpellingsNamingValidOnes) {
  for (const auto& [text, reason] : std::initializer_list<std::pair<const char*, const char*>>{
           {"", "begin"},
           {"original-mstd0.5", "begin"},
           {"random-m9", "begin"},
           {"rand-", "dash"},
           {"rand-m9-", "dash"},
           {"rand--m9", "not a supported part"},
           {"rand-m", "number"},
           {"rand-minf", "not a supported part"},
           {"rand-m9x", "number"},
           {"rand-m9.5", "whole"},
           {"rand-m101", "range"},
           {"rand-n0", "range"},
           {"rand-n17", "range"},
           {"rand-p1.5", "range"},
           {"rand-mmax0", "range"},
           {"rand-inc0", "range"},
           {"rand-m9-m8", "given twice"},
           {"rand-w0", "not a supported part"},
           {"rand-tweights", "not a supported part"},
           {"rand-M9", "not a supported part"},
           {"rand m9", "begin"}}) {
    const auto read = randAugmentFromText(text);
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_EQ(read.error().code, ErrorCode::InvalidConfig);
    EXPECT_NE(read.error().message.find(reason), std::string::npos) << read.error().message;
    EXPECT_NE(read.error().message.find("-mstdX"), std::string::npos) << "what is allowed";
  }
}

TEST(RandAugmentText, TheOptionIsCheckedWhereverItIsRead) {
  const Parameter& parameter = *findParameter(dataParameters(), "rand_augment");
  EXPECT_TRUE(parameterFromText(parameter, "", "data.rand_augment").ok());
  EXPECT_TRUE(parameterFromText(parameter, "rand-m9-mstd0.5-inc1", "data.rand_augment").ok());
  const auto refused = parameterFromText(parameter, "rand-z9", "data.rand_augment");
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().text().find("data.rand_augment: \"z9\""), std::string::npos)
      << refused.error().text();
  DataConfig data;
  EXPECT_FALSE(readParameters(dataParameters(), {{"rand_augment", "rand-n0"}}, &data, "data").ok());
}

}  // namespace
}  // namespace headlight
