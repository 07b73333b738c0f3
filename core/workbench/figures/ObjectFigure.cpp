// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/figures/ObjectFigure.h"

#include <cmath>

#include "core/base/Translation.h"
#include "core/imaging/drawing/BoxDrawing.h"

namespace headlight {
namespace {

constexpr double kPaleChannel = 55;  // the least of a color: a saturation of 200 / 255

std::uint8_t channelOf(double share) {
  return static_cast<std::uint8_t>(std::lround(255 - share * (255 - kPaleChannel)));
}

/// A color of full value. `hue` in degrees, [0, 360).
DrawnColor colorOfHue(int hue) {
  const double part = hue % 60 / 60.0;
  const std::uint8_t most = 255, least = channelOf(1), falling = channelOf(part),
                     rising = channelOf(1 - part);
  const DrawnColor sectors[] = {{most, rising, least}, {falling, most, least},
                                {least, most, rising}, {least, falling, most},
                                {rising, least, most}, {most, least, falling}};
  return sectors[hue / 60];
}

DrawnBox drawnBoxOf(const FoundObject& object, const std::array<double, 4>& pixels) {
  const auto [left, top, right, bottom] = pixels;
  const long percent = std::lround(100 * double{object.score});
  return {left,
          top,
          right,
          bottom,
          object.name + " " + std::to_string(percent) + " %",
          objectColor(object.index)};
}

DrawnBox drawnTruth(const LabeledBox& box, const TrueBoxes& truth,
                    const std::vector<std::string>& names) {
  return {box.box.x,
          box.box.y,
          box.box.x + box.box.width,
          box.box.y + box.box.height,
          tr("true: ") + objectName(truth.classNames, static_cast<std::size_t>(box.label)),
          objectColor(classCalledAlike(box.label, truth, names)),
          /*dashed=*/true};
}

}  // namespace

/// Neighbors differ by the golden angle, so that few classes never look alike.
DrawnColor objectColor(int index) {
  constexpr double kGoldenAngle = 137.508;
  return colorOfHue(static_cast<int>(std::fmod(30 + index * kGoldenAngle, 360)));
}

Image objectFigure(const Image& image, const std::vector<FoundObject>& objects,
                   const ModelInfo& model, const TrueBoxes* truth) {
  std::vector<DrawnBox> boxes;
  for (const FoundObject& object : objects)
    boxes.push_back(
        drawnBoxOf(object, boxInImage(object, image.width, image.height, model.experiment.model)));
  if (truth)
    for (const LabeledBox& box : truth->boxes)
      boxes.push_back(drawnTruth(box, *truth, namesOfObjects(model)));
  return drawBoxes(image, boxes);
}

Image withObjectBoxes(const Image& view, const std::vector<FoundObject>& objects, int em) {
  std::vector<DrawnBox> boxes;
  for (const FoundObject& object : objects)
    boxes.push_back(drawnBoxOf(object, {object.box[0] * view.width, object.box[1] * view.height,
                                        object.box[2] * view.width, object.box[3] * view.height}));
  return drawBoxes(view, boxes, em);
}

}  // namespace headlight
