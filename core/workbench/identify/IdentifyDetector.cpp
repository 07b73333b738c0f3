// SPDX-License-Identifier: GPL-3.0-or-later

// Identify.h: LCNet, ESNet, LCNet-ViT and ESNet-ViT, as detectors and as classifiers.

#include <algorithm>

#include "core/base/Translation.h"
#include "core/config/ExperimentTask.h"
#include "core/models/published/DetectorSizes.h"
#include "core/workbench/identify/Identify.h"

namespace headlight {
namespace {

constexpr int kSideOutputs = 32;  // of a cell: 4 sides of 8 distances

/// The size whose neck is so wide.
std::string sizeOfNeck(int width) {
  for (const DetectorSize& size : detectorSizes())
    if (size.neckWidth == width) return size.name;
  throw Failure({ErrorCode::UnsupportedFile,
                 tr("no size of detector has a neck of width ") + std::to_string(width),
                 "neck.lateral.0.conv.weight"});
}

bool hasBlocks(const TensorShapes& shapes) {
  return shapes.anyNameHas("backbone.blocks.");
}

/// "lcnet_vit": ESNet's first layer of a stage has two branches.
std::string trunkIn(const TensorShapes& shapes) {
  return std::string(shapes.anyNameHas("backbone.stages.0.0.left.") ? "esnet" : "lcnet") +
         (hasBlocks(shapes) ? "_vit" : "");
}

/// The size whose last map has so many features.
std::string sizeOfTrunk(const std::string& trunk, int width) {
  for (const DetectorSize& size : detectorSizes()) {
    const bool lcnet = trunk.starts_with("lcnet");
    const double scale = 512 * (lcnet ? size.lcnetScale : size.esnetScale);
    if (roundedWidth(scale, lcnet ? 8 : 16) == width) return size.name;
  }
  throw Failure({ErrorCode::UnsupportedFile,
                 tr("no size of this network ends in ") + std::to_string(width) + tr(" features"),
                 "head.hidden.weight"});
}

}  // namespace

void inferDetector(const TensorShapes& shapes, ModelConfig& config,
                   std::vector<std::string>& notes) {
  if (hasBlocks(shapes)) requireSoftmaxBackbone(shapes);
  config.backbone = trunkIn(shapes);
  config.layout["size"] = sizeOfNeck(shapes.extent("neck.lateral.0.conv.weight", 0));
  config.classes = std::max(1, shapes.extent("head.0.predict.weight", 0) - kSideOutputs);
  config.imageSize = 320;
  config.cropMode = "squash";
  config.cropFraction = 1;
  deriveDetector(config);
  notes.push_back("the file does not say for which image size it was trained; assuming 320 pixels");
}

void inferTrunkClassifier(const TensorShapes& shapes, ModelConfig& config,
                          std::vector<std::string>& notes) {
  if (hasBlocks(shapes)) requireSoftmaxBackbone(shapes);
  const std::string trunk = trunkIn(shapes);
  config.backbone = trunk + kClassifierEnding;
  config.layout["size"] = sizeOfTrunk(trunk, shapes.extent("head.hidden.weight", 1));
  config.classes = std::max(1, shapes.extent("head.fc.weight", 0));
  config.imageSize = 224;
  deriveDetector(config);
  notes.push_back("the file does not say for which image size it was trained; assuming 224 pixels");
}

}  // namespace headlight
