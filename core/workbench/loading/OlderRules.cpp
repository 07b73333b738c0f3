// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/loading/OlderRules.h"

#include "core/models/Registry.h"

namespace headlight {
namespace {

constexpr const char *kPadding = "padding", *kAfterShift = "after_shift";

/// For an LSLA model: before_shift or after_shift; empty for every other mechanism.
std::string windowPaddingOf(const ModelConfig& model) {
  if (model.mechanism != "lsla") return {};
  return completed(model, modelCatalog()).attention.at(kPadding).get<std::string>();
}

}  // namespace

std::vector<std::string> listOlderRules(const ModelConfig& model) {
  if (windowPaddingOf(model) != kAfterShift) return {};
  return modelCost(model).notices;
}

std::vector<std::string> listOtherRules(const ModelConfig& model, const ModelConfig& weights) {
  const std::string here = windowPaddingOf(model), there = windowPaddingOf(weights);
  if (here.empty() || there.empty() || here == there) return {};
  ModelConfig older = model;
  older.attention[kPadding] = kAfterShift;
  if (modelCost(older).notices.empty()) return {};
  return {"the weights were made with model.attention.padding " + there +
          ", but the given model has " + here +
          ": results differ where windows do not divide the grid"};
}

}  // namespace headlight
