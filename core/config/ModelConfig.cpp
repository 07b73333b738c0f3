// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/ModelConfig.h"

#include <algorithm>
#include <numeric>

namespace headlight {

const ParameterTable& modelParameters() {
  using M = ModelConfig;
  static const ParameterTable table =
      TableBuilder<M>()
          .text(&M::name, "name", "A published name (see summary --list), or a custom name.")
          .registered(&M::backbone, "backbone", "Backbone architecture.")
          .registered(&M::mechanism, "mechanism", "Attention mechanism of every block.")
          .integer(&M::imageSize, "image_size", 8, 4096, "Image height in pixels.")
          .integer(&M::imageWidth, "image_width", 0, 4096,
                   "Image width in pixels; 0: same as the height.")
          .integer(&M::patchSize, "patch_size", 1, 256, "Patch size in pixels per side.")
          .integer(&M::classes, "classes", 0, 100000,
                   "Number of classes; 0: no classifier, only features.")
          .integer(&M::width, "width", 1, 16384, "Token width D; must be a multiple of heads.")
          .integer(&M::depth, "depth", 0, 256, "Number of blocks.")
          .integer(&M::heads, "heads", 1, 4096, "Attention heads per block.")
          .integers(&M::depths, "depths", 1, 256,
                    "Blocks of each stage; empty: one stage of `depth` blocks.")
          .integers(&M::stageWidths, "stage_widths", 1, 16384,
                    "Token width of each stage; empty: doubles from `width` at each stage.")
          .integers(&M::stageHeads, "stage_heads", 1, 256,
                    "Heads of each stage; empty: doubles from `heads` at each stage.")
          .integer(&M::classDepth, "class_depth", 0, 16,
                   "Class-attention blocks after the patch blocks, as in CaiT.")
          .number(&M::mlpRatio, "mlp_ratio", 0.1, 16,
                  "Hidden width of the MLP, as a multiple of D.")
          .boolean(&M::qkvBias, "qkv_bias", "Use a bias in the query, key and value projection.")
          .boolean(&M::classToken, "class_token",
                   "Use a class token; without it, patches are averaged.")
          .integer(&M::registers, "registers", 0, 1024,
                   "Learned register tokens after the class token (Darcet et al. 2024); the "
                   "classifier does not read them. YOLOS's detection tokens are such.")
          .boolean(&M::distilled, "distilled",
                   "Use a distillation token and a second classifier, as in DeiT.")
          .choice(&M::positions, "positions", {"learned", "none"}, "Absolute position embedding.")
          .number(&M::layerScale, "layer_scale", 0, 10, "Initial LayerScale; 0: none.")
          .number(&M::dropPath, "drop_path", 0, 0.95, "Stochastic depth rate of the last block.")
          .choice(&M::dropPathMode, "drop_path_mode", {"linear", "constant"},
                  "Drop path rate: rising from 0, or the same in every block.")
          .choice(&M::init, "init", {"default", "mimetic", "structured"},
                  "How random weights start: as the backbone's authors have it; mimetic, QKᵀ near "
                  "the identity and VO near its negative (Trockman & Kolter 2023); structured, Q "
                  "and K such that heads start as convolutions with one tap each (Zheng et al. "
                  "2025).")
          .number(&M::normEpsilon, "norm_epsilon", 1e-12, 1e-2, "Epsilon of the layer norms.")
          .number(&M::cropFraction, "crop_fraction", 0.1, 1,
                  "Share of the resized short side kept by the center crop (timm's crop_pct).")
          .choice(&M::cropMode, "crop_mode", {"center", "squash", kPadMode},
                  "Center crop, or the whole image squashed to the size (timm's crop_mode). "
                  "Segmenters also take it in proportion, padded to multiples of 32.")
          .choice(&M::interpolation, "interpolation", {"bicubic", "bilinear", "nearest"},
                  "Interpolation for resizing images.")
          .choice(&M::transparency, "transparency", {"white", "drop"},
                  "Transparent pixels of an image: put on white, or their alpha channel dropped, "
                  "as timm and torchvision do.")
          .numbers(&M::mean, "mean", 3, -10, 10, "Mean of red, green and blue, in [0, 1] units.")
          .numbers(&M::deviation, "deviation", 3, 1e-6, 10,
                   "Standard deviation of red, green and blue, in [0, 1] units.")
          .build();
  return table;
}

ModelConfig::ModelConfig() = default;
ModelConfig::ModelConfig(const ModelConfig& other) = default;
ModelConfig::ModelConfig(ModelConfig&& other) noexcept = default;
ModelConfig& ModelConfig::operator=(const ModelConfig& other) = default;
ModelConfig& ModelConfig::operator=(ModelConfig&& other) noexcept = default;
ModelConfig::~ModelConfig() = default;

int namedClasses(const ModelConfig& model) {
  const int objects = model.layout.value("object_classes", 0);
  return objects > 0 ? objects - 1 : model.classes;
}

int ModelConfig::stageWidth(int stage) const {
  return stageWidths.empty() ? width << stage : stageWidths[stage];
}

int ModelConfig::stageHeadCount(int stage) const {
  return stageHeads.empty() ? heads << stage : stageHeads[stage];
}

double ModelConfig::pixelsPerPatch(int layer) const {
  int stage = 0;
  for (; stage + 1 < stages() && layer >= stageDepth(stage); ++stage)
    layer -= stageDepth(stage);
  return static_cast<double>(imageHeightPixels()) / grid().strided(1 << stage).rows;
}

int ModelConfig::layers() const {
  return std::accumulate(depths.begin(), depths.end(), staged() ? 0 : depth) + classDepth;
}

MaskShape ModelConfig::maskShape() const {
  std::vector<int> perLayer;
  for (int stage = 0; stage < stages(); ++stage)
    perLayer.insert(perLayer.end(), stageDepth(stage), stageHeadCount(stage));
  const int maskable = static_cast<int>(perLayer.size());
  perLayer.insert(perLayer.end(), classDepth, heads);
  return {perLayer, maskable};
}

namespace {

constexpr int kMaxLayers = 256;

Error refusal(const std::string& key, const std::string& message) {
  return {ErrorCode::InvalidConfig, message, "model." + key};
}

Result<void> checkStages(const ModelConfig& model, const ShapeRules& rules) {
  constexpr std::size_t kMaxStages = 6;
  if (model.depths.size() > kMaxStages) return refusal("depths", "at most 6 stages");
  for (const auto& [key, list] :
       {std::pair{"stage_widths", &model.stageWidths}, std::pair{"stage_heads", &model.stageHeads}})
    if (!list->empty() && list->size() != model.depths.size())
      return refusal(key, "has " + std::to_string(list->size()) + " numbers for " +
                              std::to_string(model.depths.size()) + " stages (depths)");
  for (int stage = 0; stage < model.stages(); ++stage)
    if (rules.headsDivideWidth && model.stageWidth(stage) % model.stageHeadCount(stage) != 0)
      return refusal(model.staged() ? "stage_heads" : "heads",
                     std::to_string(model.stageHeadCount(stage)) +
                         " heads do not divide the width " +
                         std::to_string(model.stageWidth(stage)) +
                         "; choose a width that is a multiple of heads");
  if (model.layers() == 0 && !rules.withoutBlocks)
    return refusal("depth", "is 0; this backbone needs at least one block");
  if (model.layers() > kMaxLayers)
    return refusal(model.staged() ? "depths" : "depth", "at most 256 blocks in all");
  return {};
}

/// About how many parameters the blocks have, whatever the mechanism.
double blockParameters(const ModelConfig& model) {
  double sum = 0;
  for (int stage = 0; stage < model.stages(); ++stage) {
    const double width = model.stageWidth(stage);
    sum += (model.stageDepth(stage) + model.classDepth) * (4 + 2 * model.mlpRatio) * width * width;
  }
  return sum;
}

}  // namespace

Result<void> checkModel(const ModelConfig& model, const ShapeRules& rules) {
  const auto text = [](long long value) { return std::to_string(value); };
  if (auto stages = checkStages(model, rules); !stages) return stages;
  // For the backbone vit: what fills no patch is left out, as published weights expect it.
  const bool cuts =
      model.layout.is_object() && model.layout.value("cut_remainder", Json(false)) == true;
  for (const auto& [key, pixels] : {std::pair{"image_size", model.imageHeightPixels()},
                                    std::pair{"image_width", model.imageWidthPixels()}})
    if (pixels % model.patchSize != 0 && !(cuts && pixels > model.patchSize))
      return refusal(key, text(pixels) + " pixels are not a multiple of " + text(model.patchSize) +
                              "-pixel patches; " +
                              text(std::max(1, pixels / model.patchSize) * model.patchSize) +
                              " and " + text((pixels / model.patchSize + 1) * model.patchSize) +
                              " are");
  if (rules.needsClassifier && model.classes == 0)
    return refusal("classes",
                   "only the backbones vit and swin work without a classifier; give at least 1");
  if (!rules.takesRegisters && model.registers > 0)
    return refusal("registers", "only the backbone vit has register tokens; set it to 0");
  if (!rules.takesAnySides && model.cropMode == kPadMode)
    return refusal("crop_mode",
                   "only segmenters take images of any proportions; choose center or squash");
  if (rules.distilledNeedsClassToken && model.distilled && !model.classToken)
    return refusal("distilled", "a distillation token needs a class token");
  constexpr int kMaxTokens = 65536;
  if (model.grid().patches() > kMaxTokens)
    return refusal("patch_size", text(model.grid().patches()) + " patches are too many; at most " +
                                     text(kMaxTokens));
  constexpr double kMaxParameters = 8e9;
  const double width = model.width;
  const double parameters =
      blockParameters(model) + width * (model.classes + model.grid().tokens());
  if (parameters > kMaxParameters)
    return refusal("width", "a model of about " + text(static_cast<long long>(parameters / 1e6)) +
                                " million parameters exceeds the limit of 8000 million");
  return {};
}

}  // namespace headlight
