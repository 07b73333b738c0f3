// SPDX-License-Identifier: GPL-3.0-or-later

// Identify.h: how many heads a ViT has, which no tensor says.

#include <algorithm>
#include <map>

#include "core/base/Translation.h"
#include "core/models/Registry.h"
#include "core/workbench/identify/Identify.h"

namespace headlight {
namespace {

/// Heads of published models of this width, depth and patch, and one that has them.
std::map<int, std::string> publishedHeads(const ModelConfig& config) {
  std::map<int, std::string> heads;
  for (const PublishedModel& model : publishedModels()) {
    const ModelConfig& known = model.config;
    const bool alike = known.backbone == config.backbone && known.width == config.width &&
                       known.depth == config.depth && known.patchSize == config.patchSize;
    if (alike) heads.emplace(known.heads, model.name);
  }
  return heads;
}

[[noreturn]] void refuseToGuess(const ModelConfig& config, int usualWidth) {
  throw Failure({ErrorCode::UnsupportedFile,
                 tr("the file does not state the number of heads, and its token width ") +
                     std::to_string(config.width) + tr(" is a multiple of neither ") +
                     std::to_string(usualWidth) +
                     tr(", the usual width of a head, nor 3, the fewest heads of published models. "
                        "Put the model's config.json beside the file, or give the number with "
                        "--heads"),
                 ""});
}

std::string assumedText(int heads, const std::string& why) {
  return "the file does not state the number of heads; assuming " + std::to_string(heads) + ", " +
         why + "; if that is wrong, give the number with --heads, or a config or a model's name";
}

/// Published models come first, then heads of the usual width; narrower models are most often
/// small kin of the ViT-Tiny and have its 3.
void assumeHeads(ModelConfig& config, int usualWidth, std::vector<std::string>& notes) {
  constexpr int kFewHeads = 3;
  const auto published = publishedHeads(config);
  const int usual = config.width % usualWidth == 0 ? config.width / usualWidth : 0;
  if (!published.empty() && !published.contains(usual)) {
    config.heads = published.begin()->first;
    notes.push_back(assumedText(config.heads, "as " + published.begin()->second + " has"));
  } else if (usual > 0) {
    config.heads = usual;
    notes.push_back(assumedText(usual, std::to_string(usualWidth) + " wide each"));
  } else if (config.width % kFewHeads == 0) {
    config.heads = kFewHeads;
    notes.push_back(assumedText(kFewHeads, "as ViT-Tiny has"));
  } else {
    refuseToGuess(config, usualWidth);
  }
}

}  // namespace

void inferHeads(const TensorShapes& shapes, ModelConfig& config, std::vector<std::string>& notes) {
  constexpr int kUsualWidth = 64, kAimWidth = 128;  // AIMv2's
  constexpr int kMostHeads = 256;
  if (shapes.heads() > 0) {
    config.heads = shapes.heads();
  } else if (const auto heads = shapes.argument("num_heads", kMostHeads)) {
    config.heads = *heads;
  } else {
    assumeHeads(config, shapes.has("patch_embed.norm.weight") ? kAimWidth : kUsualWidth, notes);
  }
}

}  // namespace headlight
