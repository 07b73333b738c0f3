// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/identify/IdentifyModel.h"

#include <algorithm>

#include "core/models/Registry.h"
#include "core/training/run/ModelFile.h"
#include "core/workbench/identify/Identify.h"

namespace headlight {
namespace {

constexpr const char* kGiveModel = "give the model it belongs to by name or config (--model)";

[[noreturn]] void refuseAsVit(const std::string& missing, const std::string& where) {
  throw Failure({ErrorCode::UnsupportedFile,
                 "has no tensor \"" + missing +
                     "\": it is no ViT, BEiT, EVA, CaiT, ConViT, LeViT, MViTv2 or Swin in timm's "
                     "names; " +
                     kGiveModel,
                 where});
}

void requireVit(const TensorShapes& shapes, const std::string& where) {
  for (const char* name : {"patch_embed.proj.weight", "blocks.0.norm1.weight",
                           "blocks.0.attn.proj.weight", "blocks.0.mlp.fc2.weight"})
    if (!shapes.has(name)) refuseAsVit(name, where);
  if (!shapes.has("blocks.0.attn.q_proj.weight") && !shapes.has("blocks.0.attn.qkv.weight"))
    refuseAsVit("blocks.0.attn.qkv.weight", where);
}

/// Every value in its range, every option one that its mechanism and backbone have, and no model
/// far greater than the file, whose shapes may lie: it would be allocated next.
ModelConfig checked(const ModelConfig& config, const Checkpoint& checkpoint) {
  ModelConfig complete = valueOrThrow(modelFromJson(modelToJson(config), modelCatalogue()));
  requireHeld(complete, checkpoint.tensors, "");
  return complete;
}

}  // namespace

ModelConfig identifyModel(const Checkpoint& checkpoint, std::vector<std::string>& notes,
                          const std::string& where) {
  const TensorShapes shapes(checkpoint);
  const auto& families = modelFamilies();
  const auto family = std::find_if(families.begin(), families.end(),
                                   [&](const ModelFamily& f) { return f.recognises(shapes); });
  const bool vit = family == families.end();
  if (vit) requireVit(shapes, where);
  const std::string title =
      vit ? "ViT (backbone vit)"
          : std::string(family->title) + " (backbone " + family->backbone + ")";
  ModelConfig config;
  config.name = "from checkpoint";
  if (!vit) notes.push_back("recognised as " + title + " by the names of its tensors");
  try {
    (vit ? inferVit : family->infer)(shapes, config, notes);
    config = checked(config, checkpoint);
  } catch (const Failure& failure) {
    throw Failure({ErrorCode::UnsupportedFile,
                   "looks like a " + title + ", but its shape cannot be read off it: " +
                       failure.error().text() + "; " + kGiveModel,
                   where});
  }
  notes.push_back("mean and deviation assumed to be ImageNet's");
  return config;
}

}  // namespace headlight
