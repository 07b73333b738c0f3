// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/objects/ObjectDrawing.h"

#include "core/base/Translation.h"

namespace headlight {
namespace {

constexpr DrawnColor kFoundColor{255, 196, 0}, kTruthColor{90, 200, 255};

}  // namespace

DrawnColor foundColor() {
  return kFoundColor;
}

DrawnBox objectOutline(const BoxSides& box, int width, int height, const std::string& text) {
  const auto& [left, top, right, bottom] = box;
  return {left * width, top * height, right * width, bottom * height, text, kFoundColor};
}

DrawnBox truthOutline(const BoxSides& view, int width, int height, const std::string& name) {
  DrawnBox box = objectOutline(view, width, height, tr("true: ") + name);
  box.color = kTruthColor;
  box.dashed = true;
  return box;
}

}  // namespace headlight
