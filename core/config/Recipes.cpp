// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/Recipes.h"

#include <algorithm>
#include <set>

#include "core/base/Text.h"
#include "core/base/Translation.h"

namespace headlight {
namespace {

Json& at(Json& experiment, const std::string& path) {
  const auto dot = path.find('.');
  return experiment[path.substr(0, dot)][path.substr(dot + 1)];
}

}  // namespace

std::vector<std::string> recipeNames() {
  std::vector<std::string> names;
  for (const Recipe& recipe : recipes())
    names.push_back(recipe.name);
  return names;
}

std::vector<std::string> recipePaths() {
  std::set<std::string> paths;
  for (const Recipe& recipe : recipes())
    for (const RecipeValue& value : recipe.values)
      paths.insert(value.path);
  return {paths.begin(), paths.end()};
}

const Recipe* findRecipe(const std::string& name) {
  const auto found = std::find_if(recipes().begin(), recipes().end(),
                                  [&](const Recipe& recipe) { return recipe.name == name; });
  return found == recipes().end() ? nullptr : &*found;
}

Result<void> applyRecipe(Json& experiment, const std::string& name) {
  const Recipe* recipe = findRecipe(name);
  if (recipe == nullptr)
    return Error{ErrorCode::InvalidArgument,
                 tr("unknown recipe \"") + name + tr("\"; choose one of ") + joined(recipeNames()),
                 "recipe"};
  applyRecipe(experiment, *recipe);
  return {};
}

void applyRecipe(Json& experiment, const Recipe& recipe) {
  for (const RecipeValue& value : recipe.values)
    at(experiment, value.path) = value.value;
}

std::vector<std::string> changedFromRecipe(const Json& experiment, const Recipe& recipe) {
  std::vector<std::string> changed;
  Json mine = experiment;
  for (const RecipeValue& value : recipe.values)
    if (at(mine, value.path) != value.value) changed.push_back(value.path);
  return changed;
}

}  // namespace headlight
