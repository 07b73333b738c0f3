// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The mechanisms and backbones with the options of each, as text and as JSON.

#include <vector>

#include "app/cli/terminal/Terminal.h"
#include "core/config/Catalog.h"

namespace headlight::cli {

/// `section` is where their options go in a config: "attention" or "layout".
void listVariants(const std::vector<Variant>& variants, const std::string& section,
                  Terminal& terminal);

}  // namespace headlight::cli
