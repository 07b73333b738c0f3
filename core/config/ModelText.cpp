// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/ModelText.h"

namespace headlight {
namespace {

template <typename Count>
std::string perStage(const ModelConfig& model, Count count) {
  std::string text;
  for (int stage = 0; stage < model.stages(); ++stage)
    text += (stage > 0 ? "+" : "") + std::to_string(count(stage));
  return text;
}

}  // namespace

std::string blocksText(const ModelConfig& model) {
  return perStage(model, [&](int stage) { return model.stageDepth(stage); }) +
         (model.classDepth > 0 ? " and " + std::to_string(model.classDepth) + " class-attention"
                               : "") +
         " layers x " + perStage(model, [&](int stage) { return model.stageHeadCount(stage); }) +
         " heads, width " + perStage(model, [&](int stage) { return model.stageWidth(stage); });
}

}  // namespace headlight
