// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/ChosenCell.h"

#include <algorithm>

#include "core/workbench/session/Objects.h"
#include "ui/document/Document.h"

namespace headlight {

int chosenCell(const Document& document) {
  const int cell = document.view().options().method.cell;
  const auto inference = document.inference();
  if (cell < 0 || !inference) return -1;
  const auto shown = objectsAbove(inference->objects, document.view().options().objectThreshold);
  const bool isShown = std::any_of(shown.begin(), shown.end(),
                                   [&](const FoundObject& object) { return object.cell == cell; });
  return isShown ? cell : -1;
}

}  // namespace headlight
