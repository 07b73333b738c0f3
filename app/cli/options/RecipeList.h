// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The papers' training recipes as text, as JSON, and as a flag's help.

#include <string>

#include "app/cli/terminal/Terminal.h"

namespace headlight::cli {

/// For --recipe.
std::string recipeHelp();

/// Every recipe with every value and where it stands.
void listRecipes(Terminal& terminal);

}  // namespace headlight::cli
