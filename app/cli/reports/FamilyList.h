// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The published models by family and paper, as text and as JSON.

#include "app/cli/terminal/Terminal.h"

namespace headlight::cli {

/// Families with their papers; parameters in millions and multiply-accumulates in 10⁹, counted with
/// the scheme that the paper pairs each model with.
void listFamilies(Terminal& terminal);

}  // namespace headlight::cli
