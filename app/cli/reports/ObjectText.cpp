// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/reports/ObjectText.h"

#include <cmath>
#include <cstdio>

#include "core/base/Text.h"
#include "core/base/Translation.h"

namespace headlight::cli {
namespace {

std::string boxText(const std::array<double, 4>& box) {
  std::string text;
  for (const double side : box)
    addTo(text, std::to_string(std::lround(side)));
  return text;
}

}  // namespace

Json objectsJson(const std::vector<FoundObject>& objects, const SeenImage& image,
                 const ModelConfig& model) {
  Json json = Json::array();
  for (const FoundObject& object : objects)
    json.push_back({{"label", object.name},
                    {"index", object.index},
                    {"score", object.score},
                    {"box", boxInImage(object, image.width, image.height, model)}});
  return json;
}

Json truthJson(const TrueBoxes& truth) {
  Json json = Json::array();
  for (const LabeledBox& one : truth.boxes)
    json.push_back(
        {{"label", objectName(truth.classNames, static_cast<std::size_t>(one.label))},
         {"index", one.label},
         {"box", {one.box.x, one.box.y, one.box.x + one.box.width, one.box.y + one.box.height}}});
  return json;
}

void printObjects(const std::vector<FoundObject>& objects, std::size_t hidden, double threshold,
                  const SeenImage& image, const ModelConfig& model, Terminal& terminal) {
  terminal.print(image.name);
  for (const FoundObject& object : objects) {
    char score[24];
    std::snprintf(score, sizeof score, "%6.1f %%  ", 100 * double{object.score});
    terminal.print(score + object.name + tr("  left, top, right, bottom: ") +
                   boxText(boxInImage(object, image.width, image.height, model)));
  }
  if (hidden == 0) return;
  char least[24];
  std::snprintf(least, sizeof least, "%g", threshold);
  terminal.print(
      "  " + std::to_string(hidden) +
      (detectsInCells(model) ? tr(" boxes score below ") : tr(" detection tokens score below ")) +
      least + tr(" (--threshold)"));
}

}  // namespace headlight::cli
