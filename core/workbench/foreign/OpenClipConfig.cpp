// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/foreign/OpenClipConfig.h"

#include "core/base/Translation.h"
#include "core/models/Registry.h"
#include "core/workbench/foreign/ConfigValues.h"
#include "core/workbench/foreign/TransformersFamilies.h"

namespace headlight {
namespace {

void setOpenClipSize(const ConfigValues& vision, ModelConfig& model) {
  const auto [height, width] =
      vision.size("image_size", {model.imageHeightPixels(), model.imageWidthPixels()});
  model.imageSize = height;
  model.imageWidth = width == height ? 0 : width;
}

/// A model of timm's, whose tensors have timm's names.
void readTimmTower(const ConfigValues& vision, ForeignModel& model) {
  const std::string name = vision.text("timm_model_name", "");
  const PublishedModel* published = findPublishedModel(name.substr(0, name.find('.')));
  if (!published)
    vision.refuse("timm_model_name", "\"" + name +
                                         tr("\" is not supported; headlight-cli summary "
                                            "--list shows the models that are"));
  model.model = published->config;
  model.model.classes = 0;
  setOpenClipSize(vision, model.model);
  if (vision.text("timm_proj", "linear") != "none")
    model.notes.push_back("its projection into the space of texts is left aside");
}

void requireUsual(const ConfigValues& vision) {
  if (vision.json().value("layers", Json()).is_array())
    vision.refuse("layers", tr("its tower is a ResNet; only vision transformers open"));
  for (const char* key : {"attentional_pool", "no_ln_pre", "global_average_pool"})
    vision.requireFlag(key, false);
  if (vision.text("pool_type", "tok") != "tok" ||
      vision.text("pos_embed_type", "learnable") != "learnable")
    vision.refuse("pool_type", tr("only the class token with learned positions is supported"));
}

void readOwnTower(const ConfigValues& clip, const ConfigValues& vision, ForeignModel& model) {
  constexpr int kMostLayers = 256;
  requireUsual(vision);
  ModelConfig& ours = model.model;
  ours.imageSize = 224;
  setOpenClipSize(vision, ours);
  ours.patchSize = vision.whole("patch_size", 16);
  ours.width = vision.whole("width", 768);
  ours.depth = vision.whole("layers", 12, 1, kMostLayers);
  const int headWidth = vision.whole("head_width", 64);
  if (ours.width % headWidth != 0) vision.refuse("head_width", tr("must divide the width"));
  ours.heads = ours.width / headWidth;
  const double ratio = vision.number("mlp_ratio", 4);
  if (!(ratio > 0 && ratio <= 64)) vision.refuse("mlp_ratio", tr("must be above 0, at most 64"));
  setHidden(static_cast<int>(ours.width * ratio), ours);
  ours.layerScale = vision.number("ls_init_value", 0);
  ours.normEpsilon = vision.part("norm_kwargs").number("eps", 1e-5);
  ours.layout["norm_pre"] = true;
  if (clip.flag("quick_gelu", false)) ours.layout["activation"] = "quick_gelu";
  ours.classes = clip.whole("embed_dim", 512);
}

void readPreprocessing(const ConfigValues& given, ModelConfig& model) {
  model.mean = given.three("mean", {0.48145466, 0.4578275, 0.40821073});
  model.deviation = given.three("std", {0.26862954, 0.26130258, 0.27577711});
  model.cropFraction = 1;
  model.cropMode = given.text("resize_mode", "shortest") == "squash" ? "squash" : "center";
  model.interpolation =
      given.text("interpolation", "bicubic") == "bilinear" ? "bilinear" : "bicubic";
}

}  // namespace

bool isOpenClipConfig(const Json& config) {
  return config.is_object() && config.contains("model_cfg");
}

ForeignModel readOpenClipConfig(const Json& config, const std::string& where) {
  const ConfigValues whole(config, where), clip = whole.part("model_cfg"),
                                           vision = clip.part("vision_cfg");
  ForeignModel model;
  model.architecture = "open_clip's CLIP";
  model.notes.push_back(kTextHalfNote);
  if (vision.has("timm_model_name"))
    readTimmTower(vision, model);
  else
    readOwnTower(clip, vision, model);
  readPreprocessing(whole.part("preprocess_cfg"), model.model);
  if (model.model.classes > 0)
    model.notes.push_back("its " + std::to_string(model.model.classes) + kEmbeddingNote);
  return model;
}

}  // namespace headlight
