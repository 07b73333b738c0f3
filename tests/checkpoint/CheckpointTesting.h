// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the checkpoint tests share.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "core/checkpoint/Checkpoint.h"
#include "tests/TemporaryFolder.h"

namespace headlight::testing {

inline std::filesystem::path golden(const std::string& name) {
  return std::filesystem::path(HEADLIGHT_GOLDEN_DIR) / name;
}

/// A fresh folder per test, removed afterwards.
class FolderTest : public ::testing::Test {
 protected:
  std::filesystem::path path(const std::string& name) const { return m_temporary / name; }

  const TemporaryFolder m_temporary;
  const std::filesystem::path m_folder = m_temporary.path();
};

/// Equal to the bit in name, dtype, shape and value, order apart.
inline void expectSameTensors(const NamedTensors& actual, const NamedTensors& expected) {
  EXPECT_EQ(actual.size(), expected.size());
  for (const auto& [name, tensor] : expected) {
    const std::string& wanted = name;
    const auto found = std::find_if(actual.begin(), actual.end(),
                                    [&](const auto& item) { return item.first == wanted; });
    ASSERT_NE(found, actual.end()) << name << " is missing";
    EXPECT_EQ(found->second.scalar_type(), tensor.scalar_type()) << name;
    EXPECT_TRUE(found->second.is_contiguous()) << name;
    EXPECT_TRUE(found->second.device().is_cpu()) << name;
    ASSERT_EQ(found->second.sizes(), tensor.sizes()) << name;
    EXPECT_TRUE(at::equal(found->second, tensor.contiguous())) << name;
  }
}

/// The reader said no, with this code, and a message that names the file, this word, and is one
/// that a person can read: no source locations, no stack trace.
template <typename T>
void expectRefused(const Result<T>& result, ErrorCode code, const std::string& word) {
  ASSERT_FALSE(result.ok()) << "was accepted; expected: " << word;
  const std::string text = result.error().text();
  EXPECT_EQ(static_cast<int>(result.error().code), static_cast<int>(code)) << text;
  EXPECT_NE(text.find(word), std::string::npos) << "\"" << word << "\" is not in: " << text;
  EXPECT_FALSE(result.error().where.empty()) << text;
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  EXPECT_LT(text.size(), 600u) << text;
  EXPECT_EQ(text.find("Exception"), std::string::npos) << text;
}

}  // namespace headlight::testing
