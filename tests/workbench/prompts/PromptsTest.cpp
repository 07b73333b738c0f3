// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/prompts/Prompts.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/TemporaryFolder.h"

namespace headlight {
namespace {

using Lines = std::vector<std::string>;

std::string promptsError(const Prompts& prompts) {
  const auto texts = promptTexts(prompts);
  return texts ? "" : texts.error().message;
}

TEST(Prompts, AreTheLinesThatAreNotBlank) {
  EXPECT_EQ(promptLines("\xEF\xBB\xBF a cat \r\n\n\t\n a  dog"), (Lines{"a cat", "a  dog"}));
  EXPECT_EQ(promptLines(""), Lines());
  EXPECT_EQ(promptLines("\n\n"), Lines());
}

TEST(Prompts, TakeThePlaceInATemplate) {
  EXPECT_EQ(*promptTexts({{"cat", "dog"}, ""}), (Lines{"cat", "dog"}));
  EXPECT_EQ(*promptTexts({{"cat", "{}"}, "a {} or {}"}), (Lines{"a cat or cat", "a {} or {}"}));
}

TEST(Prompts, SayWhatIsWrong) {
  EXPECT_NE(promptsError({{}, "a {}"}).find("none"), std::string::npos);
  EXPECT_NE(promptsError({{"cat"}, "a photo"}).find("has no {}"), std::string::npos);
  EXPECT_NE(promptsError({{"cat", "dog", "cat"}, ""}).find("\"cat\" is there twice"),
            std::string::npos);
  EXPECT_NE(promptsError({Lines(kMostPrompts + 1, "cat"), ""}).find("more than"),
            std::string::npos);
}

TEST(Prompts, ComeFromAFile) {
  const TemporaryFolder folder;
  std::ofstream(folder / "prompts.txt") << "cat\ndog\n";
  std::ofstream(folder / "blank.txt") << "\n \n";
  EXPECT_EQ(*readPromptLines(folder / "prompts.txt"), (Lines{"cat", "dog"}));
  EXPECT_EQ(readPromptLines(folder / "blank.txt").error().code, ErrorCode::InvalidFile);
  EXPECT_EQ(readPromptLines(folder / "none.txt").error().code, ErrorCode::NotFound);
}

TEST(Prompts, AreTheSameAfterJson) {
  const Prompts prompts{{"cat", "dog"}, "a photo of a {}"};
  EXPECT_EQ(promptsFromJson(promptsToJson(prompts), "prompts"), prompts);
  EXPECT_EQ(promptsFromJson(nullptr, "prompts"), Prompts());
  for (const Json& damaged : {Json("cat"), Json{{"lines", 1}}, Json{{"lines", Json::array({1})}},
                              Json{{"lines", Json::array({"a"})}, {"template", 3}}, Json::object()})
    EXPECT_THROW(promptsFromJson(damaged, "prompts"), Failure) << damaged;
}

}  // namespace
}  // namespace headlight
