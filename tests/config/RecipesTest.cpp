// SPDX-License-Identifier: GPL-3.0-or-later

// The papers' recipes: every value is one that an Experiment takes, and the help has them all.

#include "core/config/Recipes.h"

#include <gtest/gtest.h>

#include "core/base/files/Files.h"
#include "core/config/Experiment.h"

namespace headlight {
namespace {

Json complete(const Json& json) {
  return experimentToJson(valueOrThrow(experimentFromJson(json, {})));
}

TEST(Recipes, EveryValueIsTakenAndHasASource) {
  ASSERT_EQ(recipeNames(),
            (std::vector<std::string>{"deit", "mait", "ibit", "castling", "castling-detection",
                                      "castling-segmentation", "mae", "lsla", "aft",
                                      "aft-finetuning", "linear", "lora", "fine-tune"}));
  for (const Recipe& recipe : recipes()) {
    SCOPED_TRACE(recipe.name);
    Json json = Json::object();
    ASSERT_TRUE(applyRecipe(json, recipe.name).ok());
    const Json read = complete(json);
    EXPECT_TRUE(changedFromRecipe(read, recipe).empty());
    for (const RecipeValue& value : recipe.values)
      EXPECT_FALSE(value.source.empty()) << value.path;
  }
}

TEST(Recipes, LeaveAloneWhatTheyDoNotSay) {
  Json json{{"name", "mine"}, {"data", {{"dataset", "cifar10"}, {"path", "x"}}}};
  ASSERT_TRUE(applyRecipe(json, "ibit").ok());
  EXPECT_EQ(json["name"], "mine");
  EXPECT_EQ(json["data"]["dataset"], "cifar10");
  EXPECT_EQ(json["training"]["weight_decay"], 0.005);
  EXPECT_FALSE(json["training"].contains("momentum"));
}

TEST(Recipes, SayWhatWasChangedSince) {
  Json json = Json::object();
  ASSERT_TRUE(applyRecipe(json, "deit").ok());
  json["training"]["epochs"] = 5;
  json["data"]["repeats"] = 1;
  const auto changed = changedFromRecipe(complete(json), *findRecipe("deit"));
  EXPECT_EQ(changed, (std::vector<std::string>{"training.epochs", "data.repeats"}));
}

TEST(Recipes, AnUnknownOneIsRefusedWithTheNames) {
  Json json = Json::object();
  const auto result = applyRecipe(json, "diet");
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().message.find("castling"), std::string::npos);
  EXPECT_TRUE(json.empty());
  EXPECT_EQ(findRecipe(""), nullptr);
}

TEST(Recipes, TheHelpHasEveryValueAndItsSource) {
  const std::string page =
      valueOrThrow(readFile(HEADLIGHT_SOURCE_DIR "/resources/help/recipes.md", 1u << 20));
  for (const Recipe& recipe : recipes()) {
    EXPECT_NE(page.find("## " + recipe.title), std::string::npos);
    for (const RecipeValue& value : recipe.values)
      EXPECT_NE(page.find("| `" + value.path + "` | " + value.value.dump() + " | " + value.source),
                std::string::npos)
          << recipe.name << " " << value.path;
  }
}

}  // namespace
}  // namespace headlight
