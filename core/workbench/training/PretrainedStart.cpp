// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/training/PretrainedStart.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/models/Registry.h"

namespace headlight {
namespace {

const std::string kBelow = "backbone.";
constexpr const char* kFirstBlock = "blocks.0.norm1.weight";
constexpr const char* kStem = "stem.conv.weight";  // of a detector's backbone

bool isOfPretraining(const std::string& name) {
  return name == "mask_token" || name.starts_with("decoder_");
}

bool hasTensor(const NamedTensors& tensors, const std::string& name) {
  return std::any_of(tensors.begin(), tensors.end(),
                     [&](const auto& item) { return item.first == name; });
}

bool hasHead(const NamedTensors& tensors) {
  return std::any_of(tensors.begin(), tensors.end(),
                     [](const auto& item) { return item.first.starts_with("head"); });
}

bool isAutoencoder(const NamedTensors& tensors) {
  return hasTensor(tensors, "mask_token") && hasTensor(tensors, "decoder_pred.weight");
}

void leaveDecoder(Checkpoint& checkpoint, const NamedTensors& model,
                  std::vector<std::string>& notes) {
  const auto left = std::erase_if(checkpoint.tensors,
                                  [](const auto& tensor) { return isOfPretraining(tensor.first); });
  notes.push_back(tr("they are those of a masked autoencoder; its decoder is left out (") +
                  countText(static_cast<std::int64_t>(left), tr("tensor"), tr("tensors")) + ")");
  if (hasHead(model) && !hasHead(checkpoint.tensors))
    notes.push_back(tr("a new head is trained: a masked autoencoder has none"));
}

bool isPrefixToken(const std::string& name) {
  return name == "cls_token" || name == "dist_token" || name == "reg_token";
}

bool isSquare(std::int64_t count) {
  const auto side = static_cast<std::int64_t>(std::llround(std::sqrt(static_cast<double>(count))));
  return count > 0 && side * side == count;
}

/// Of `count` positions those of tokens before the patches: as many as tokens are left out, or
/// fewer, as some have none, where that leaves a square.
std::int64_t prefixPositions(std::int64_t count, std::int64_t tokens) {
  for (std::int64_t prefix = tokens; prefix > 0; --prefix)
    if (isSquare(count - prefix)) return prefix;
  return isSquare(count) ? 0 : std::min(tokens, count - 1);
}

/// Class, distillation and register tokens.
std::int64_t takePrefixTokens(NamedTensors& tensors) {
  std::int64_t tokens = 0;
  for (const auto& [name, tensor] : tensors)
    if (isPrefixToken(name)) tokens += tensor.dim() == 3 ? tensor.size(1) : 1;
  std::erase_if(tensors, [](const auto& tensor) { return isPrefixToken(tensor.first); });
  return tokens;
}

void leaveClassToken(Checkpoint& checkpoint, std::vector<std::string>& notes) {
  const std::int64_t tokens = takePrefixTokens(checkpoint.tensors);
  if (tokens == 0) return;
  for (auto& [name, tensor] : checkpoint.tensors)
    if (name == "pos_embed" && tensor.dim() == 3 && tensor.size(1) > 1) {
      const std::int64_t prefix = prefixPositions(tensor.size(1), tokens);
      tensor = tensor.narrow(1, prefix, tensor.size(1) - prefix).contiguous();
    }
  notes.push_back(tokens == 1 ? tr("their class token is left out: the model has none")
                              : tr("their class token and the tokens beside it are left out: the "
                                   "model has none"));
}

bool hasBelow(const NamedTensors& tensors, const std::string& start) {
  return std::any_of(tensors.begin(), tensors.end(),
                     [&](const auto& item) { return item.first.starts_with(start); });
}

/// Of a detector's backbone, a classifier's by other programs' names or its own.
bool isBackboneAlone(const NamedTensors& model, const NamedTensors& file) {
  return hasTensor(model, kBelow + kStem) && !hasBelow(file, "neck.") &&
         (hasTensor(file, kStem) || hasTensor(file, kBelow + kStem));
}

bool standsBelow(const NamedTensors& model, const NamedTensors& file) {
  if (hasTensor(model, kBelow + kStem))
    return hasBelow(model, "neck.") ? isBackboneAlone(model, file) : hasTensor(file, kStem);
  return hasTensor(model, kBelow + kFirstBlock) && hasTensor(file, kFirstBlock);
}

void putBelow(Checkpoint& checkpoint, const NamedTensors& model) {
  std::set<std::string> known;
  for (const auto& [name, tensor] : model)
    known.insert(name);
  for (auto& [name, tensor] : checkpoint.tensors)
    if (known.contains(kBelow + name)) name = kBelow + name;
}

}  // namespace

PretrainedFit fitPretrained(Checkpoint& checkpoint, const Model& model) {
  PretrainedFit fit;
  const NamedTensors own = model.state();
  if (taskOf(model.config()) != Task::Rebuild && isAutoencoder(checkpoint.tensors))
    leaveDecoder(checkpoint, own, fit.notes);
  fit.below = standsBelow(own, checkpoint.tensors);
  if (!fit.below) return fit;
  if (!hasTensor(own, kBelow + "cls_token")) leaveClassToken(checkpoint, fit.notes);
  putBelow(checkpoint, own);
  fit.notes.push_back(tr("they fill the backbone; what follows it is trained from scratch"));
  return fit;
}

LoadReport reportOfBackbone(LoadReport report) {
  std::erase_if(report.missing, [](const std::string& name) { return !name.starts_with(kBelow); });
  return report;
}

}  // namespace headlight
