// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/published/DetectorSizes.h"

#include <algorithm>
#include <string_view>

#include "core/base/Translation.h"
#include "core/config/ExperimentTask.h"

namespace headlight {
namespace {

constexpr int kHeadWidth = 32;

const std::vector<double> kSmallRatios{.875, .5,   .5,                    //
                                       .5,   .625, .5, .625, .5, .5, .5,  //
                                       .5,   .5,   .5};
const std::vector<double> kLargeRatios{.875, .5,   1,                          //
                                       .625, .5,   .75, .625, .625, .5, .625,  //
                                       1,    .625, .75};

/// One transformer block at stride 16 and one at 32.
void deriveLcnetVit(ModelConfig& model, double scale) {
  model.patchSize = 16;
  model.depth = 2;
  model.depths = {1, 1};
  model.stageWidths = {roundedWidth(256 * scale, 8), roundedWidth(512 * scale, 8)};
  model.stageHeads = {model.stageWidths[0] / kHeadWidth, model.stageWidths[1] / kHeadWidth};
  model.width = model.stageWidths[0];
  model.heads = model.stageHeads[0];
}

/// Two transformer blocks at stride 32.
void deriveEsnetVit(ModelConfig& model, double scale) {
  model.patchSize = 32;
  model.depth = 2;
  model.depths.clear();
  model.stageWidths.clear();
  model.stageHeads.clear();
  model.width = roundedWidth(512 * scale, 16);
  model.heads = model.width / kHeadWidth;
}

/// No transformer block: one stage of stride 32.
void derivePlain(ModelConfig& model, int width) {
  model.patchSize = 32;
  model.depth = 0;
  model.depths.clear();
  model.stageWidths.clear();
  model.stageHeads.clear();
  model.width = width;
  model.heads = 1;
}

}  // namespace

const std::vector<DetectorSize>& detectorSizes() {
  static const std::vector<DetectorSize> all{{"xs", 0.5, 0.5, kSmallRatios, 64, 2},
                                             {"s", 0.75, 0.75, kSmallRatios, 96, 2},
                                             {"m", 1.5, 1, kLargeRatios, 128, 4},
                                             {"l", 2, 1.25, kLargeRatios, 160, 4}};
  return all;
}

const DetectorSize& findDetectorSize(const std::string& name) {
  const auto& all = detectorSizes();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const DetectorSize& s) { return s.name == name; });
  if (found == all.end())
    throw Failure({ErrorCode::InvalidConfig,
                   tr("no detector has the size \"") + name + tr("\"; use xs, s, m or l"),
                   "model.layout.size"});
  return *found;
}

std::string trunkName(const std::string& backbone) {
  const std::string_view ending = kClassifierEnding;
  return backbone.ends_with(ending) ? backbone.substr(0, backbone.size() - ending.size())
                                    : backbone;
}

int roundedWidth(double value, int divisor) {
  const int whole = static_cast<int>(value + divisor / 2.0) / divisor * divisor;
  const int width = std::max(divisor, whole);
  return width < 0.9 * value ? width + divisor : width;
}

std::vector<std::string> derivedOfDetectors() {
  return {"patch_size",   "width",       "depth",       "heads",     "depths",
          "stage_widths", "stage_heads", "class_depth", "mlp_ratio", "qkv_bias",
          "class_token",  "registers",   "distilled",   "positions", "layer_scale"};
}

void deriveDetector(ModelConfig& model) {
  const DetectorSize& size = findDetectorSize(model.layout.value("size", std::string("s")));
  const std::string trunk = trunkName(model.backbone);
  if (trunk == "lcnet_vit")
    deriveLcnetVit(model, size.lcnetScale);
  else if (trunk == "esnet_vit")
    deriveEsnetVit(model, size.esnetScale);
  else
    derivePlain(model, trunk == "lcnet" ? roundedWidth(512 * size.lcnetScale, 8)
                                        : roundedWidth(512 * size.esnetScale, 16));
  model.classDepth = 0;
  model.mlpRatio = 2;
  model.qkvBias = true;
  model.classToken = false;
  model.registers = 0;
  model.distilled = false;
  model.positions = "none";
  model.layerScale = 0;
}

}  // namespace headlight
