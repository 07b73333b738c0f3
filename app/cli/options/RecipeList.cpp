// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/options/RecipeList.h"

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/config/Recipes.h"

namespace headlight::cli {
namespace {

Json toJson(const Recipe& recipe) {
  Json values = Json::array();
  for (const RecipeValue& value : recipe.values)
    values.push_back({{"path", value.path}, {"value", value.value}, {"source", value.source}});
  return {
      {"name", recipe.name}, {"title", recipe.title}, {"note", recipe.note}, {"values", values}};
}

void print(const Recipe& recipe, Terminal& terminal) {
  terminal.print(recipe.name + "  " + recipe.title);
  if (!recipe.note.empty()) terminal.print("  " + recipe.note);
  for (const RecipeValue& value : recipe.values) {
    char line[160];
    std::snprintf(line, sizeof line, "  %-30s %-22s %s", value.path.c_str(),
                  value.value.dump().c_str(), value.source.c_str());
    terminal.print(line);
  }
}

}  // namespace

std::string recipeHelp() {
  return tr("Use a paper's training recipe, applied after the config and before the flags: ") +
         joined(recipeNames()) + tr("; every value and its source: summary --recipes");
}

void listRecipes(Terminal& terminal) {
  Json list = Json::array();
  for (const Recipe& recipe : recipes()) {
    list.push_back(toJson(recipe));
    if (!terminal.json()) print(recipe, terminal);
  }
  if (terminal.json()) terminal.printJson(list);
}

}  // namespace headlight::cli
