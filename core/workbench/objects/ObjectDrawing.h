// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How the box of an object that was found without labels is drawn, in every image of it.

#include <string>

#include "core/imaging/drawing/BoxDrawing.h"
#include "core/workbench/objects/ObjectMatch.h"

namespace headlight {

/// Its color.
DrawnColor foundColor();

/// For an image of what the model saw, of any size; `text` beside it.
DrawnBox objectOutline(const BoxSides& box, int width, int height, const std::string& text = {});

/// A true box, dashed, "true: cat"; `view`: in [0, 1] of what the model saw.
DrawnBox truthOutline(const BoxSides& view, int width, int height, const std::string& name);

}  // namespace headlight
