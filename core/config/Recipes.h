// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The papers' training recipes, by name: values for an Experiment, each with where it stands. What
// a paper leaves open is as in the recipe that it builds on, and says so.

#include <string>
#include <vector>

#include "core/config/Parameter.h"

namespace headlight {

struct RecipeValue {
  std::string path;  ///< "training.weight_decay"
  Json value;
  std::string source;  ///< "IBiT, Table 5"
};

struct Recipe {
  std::string name;   ///< "ibit"
  std::string title;  ///< "IBiT, Table 5"
  std::string note;   ///< what it cannot say by values; empty: nothing
  std::vector<RecipeValue> values;
};

const std::vector<Recipe>& recipes();
std::vector<std::string> recipeNames();
/// What any of them sets, each path once.
std::vector<std::string> recipePaths();
/// Null for an unknown one.
const Recipe* findRecipe(const std::string& name);

/// Sets the recipe's values in an Experiment's JSON; everything else stays.
void applyRecipe(Json& experiment, const Recipe& recipe);
/// By name. Errors: an unknown one (InvalidArgument, with the names).
Result<void> applyRecipe(Json& experiment, const std::string& name);

/// Paths and values that `experiment`, complete, has otherwise than the recipe: none means that it
/// is trained by it.
std::vector<std::string> changedFromRecipe(const Json& experiment, const Recipe& recipe);

}  // namespace headlight
