// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/identify/IdentifyModel.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/Translation.h"
#include "core/models/Registry.h"
#include "core/training/run/ModelFile.h"
#include "core/workbench/identify/Identify.h"

namespace headlight {
namespace {

constexpr const char* kGiveModel = "give its model by name or config (--model)";

[[noreturn]] void refuseAsVit(const std::string& missing, const std::string& where) {
  throw Failure({ErrorCode::UnsupportedFile,
                 tr("has no tensor \"") + missing +
                     tr("\": it is not a ViT, BEiT, EVA, CaiT, ConViT, LeViT, MViTv2 or Swin with "
                        "timm's tensor names; ") +
                     kGiveModel,
                 where});
}

/// Models that are not opened, by a part of a tensor's name.
constexpr std::array<std::pair<const char*, const char*>, 6> kOtherModels{
    {{"to_patch_embedding.", "vit-pytorch"},
     {"segformer.encoder.", "transformers' SegFormer"},
     {"pvt.encoder.", "transformers' PVT"},
     {"text_model.encoder.", "the text half of a CLIP or SigLIP"},
     {"layer1.0.conv1.", "a ResNet"},
     {"bert.encoder.", "a language model"}}};

void refuseOthers(const TensorShapes& shapes, const std::string& where) {
  for (const auto& [part, title] : kOtherModels)
    if (shapes.anyNameHas(part))
      throw Failure(
          {ErrorCode::UnsupportedFile,
           std::string(tr("has the tensor names of ")) + title +
               tr(", which is not supported. Open the same model as timm, transformers "
                  "or torchvision has it, or show its maps with headlight_maps in Python"),
           where});
}

void requireVit(const TensorShapes& shapes, const std::string& where) {
  if (!shapes.has("patch_embed.proj.weight")) refuseOthers(shapes, where);
  for (const char* name : {"patch_embed.proj.weight", "blocks.0.norm1.weight",
                           "blocks.0.attn.proj.weight", "blocks.0.mlp.fc2.weight"})
    if (!shapes.has(name)) refuseAsVit(name, where);
  if (!shapes.has("blocks.0.attn.q_proj.weight") && !shapes.has("blocks.0.attn.qkv.weight"))
    refuseAsVit("blocks.0.attn.qkv.weight", where);
}

void setPositionFilter(PositionFilter filter, ModelConfig& config) {
  if (config.positions != "learned") return;
  if (filter == PositionFilter::Bicubic) config.layout["position_filter"] = "bicubic";
  if (filter == PositionFilter::BilinearAntialiased) config.layout["position_filter"] = "bilinear";
}

/// Every value in its range, every option one that its mechanism and backbone have, and no model
/// far greater than the file, whose shapes may lie: it would be allocated next.
ModelConfig checked(const ModelConfig& config, const Checkpoint& checkpoint) {
  ModelConfig complete = valueOrThrow(modelFromJson(modelToJson(config), modelCatalog()));
  requireHeld(complete, checkpoint.tensors, "");
  return complete;
}

}  // namespace

ModelConfig identifyModel(const Checkpoint& checkpoint, std::vector<std::string>& notes,
                          const std::string& where, int heads) {
  const TensorShapes shapes(checkpoint, heads);
  const auto& families = modelFamilies();
  const auto family = std::find_if(families.begin(), families.end(),
                                   [&](const ModelFamily& f) { return f.recognizes(shapes); });
  const bool vit = family == families.end();
  if (vit) requireVit(shapes, where);
  const std::string title =
      vit ? "ViT (backbone vit)"
          : std::string(family->title) + " (backbone " + family->backbone + ")";
  ModelConfig config;
  config.name = "from checkpoint";
  if (!vit) notes.push_back("recognized as " + title + " by its tensor names");
  try {
    (vit ? inferVit : family->infer)(shapes, config, notes);
    if (vit) setPositionFilter(checkpoint.positions, config);
    config = checked(config, checkpoint);
  } catch (const Failure& failure) {
    throw Failure({ErrorCode::UnsupportedFile,
                   tr("looks like a ") + title + tr(", but its shape cannot be inferred: ") +
                       failure.error().text() + "; " + kGiveModel,
                   where});
  }
  notes.insert(notes.end(), checkpoint.assumptions.begin(), checkpoint.assumptions.end());
  notes.push_back("assuming ImageNet's mean and standard deviation");
  return config;
}

}  // namespace headlight
