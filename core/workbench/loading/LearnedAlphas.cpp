// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/loading/LearnedAlphas.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/masks/HeadPlace.h"
#include "core/models/Registry.h"
#include "core/training/run/ModelFile.h"
#include "core/training/tuning/Adapters.h"

namespace headlight {
namespace {

/// For a file that was written before learned α had a list: the heads that are soft in it.
std::optional<std::vector<LearnedAlpha>> softHeadsOf(const Checkpoint& checkpoint,
                                                     const std::string& where) {
  const auto metadata = valueOrThrow(readModelMetadata(checkpoint.metadata, where));
  if (!metadata) return std::nullopt;
  const Experiment& experiment = metadata->experiment;
  const MaskScheme scheme =
      valueOrThrow(resolveMasks(experiment.masks, makeMaskShape(experiment.model)));
  std::vector<LearnedAlpha> learned;
  for (int l = 0; l < scheme.layers(); ++l)
    for (int h = 0; h < scheme.heads(l); ++h)
      if (scheme.at(l, h).kind == MaskKind::Soft)
        learned.push_back({l, h, scheme.at(l, h), std::nullopt});
  return learned;
}

/// Planned for α that were to be learned by then (stateFor), and now are not.
void forgetOthers(LoadPlan& plan, const NamedTensors& state) {
  std::set<std::string> names;
  for (const auto& item : state)
    names.insert(item.first);
  std::erase_if(plan.values, [&](const auto& item) {
    return item.first.ends_with(".soft_mask_logit") && !names.contains(item.first);
  });
}

/// Only within the run, or the window, that made it can a reset be taken back.
void forgetBeforeResets(std::vector<LearnedAlpha>& learned) {
  std::map<HeadPlace, int> resets;
  for (const LearnedAlpha& entry : learned)
    if (!entry.logit) resets[{entry.layer, entry.head}] = entry.from.resets;
  std::erase_if(learned, [&](const LearnedAlpha& entry) {
    const auto own = resets.find({entry.layer, entry.head});
    return own != resets.end() && entry.from.resets < own->second;
  });
}

/// The model's layers where heads learned, by the name of their soft_mask_logit.
std::map<std::string, int> layersWith(const Model& model,
                                      const std::vector<LearnedAlpha>& learned) {
  std::set<int> layers;
  for (const LearnedAlpha& entry : learned)
    if (model.masks().contains(entry.layer, entry.head)) layers.insert(entry.layer);
  std::map<std::string, int> result;
  for (const int layer : layers)
    result[model.softLogitName(layer)] = layer;
  return result;
}

}  // namespace

std::optional<std::vector<LearnedAlpha>> learnedAlphasIn(const Checkpoint& checkpoint,
                                                         const std::string& where) {
  auto learned = readLearnedAlphas(checkpoint.metadata, where);
  if (!learned) return softHeadsOf(checkpoint, where);
  forgetBeforeResets(*learned);
  return learned;
}

NamedTensors stateFor(const Model& model, const Checkpoint& checkpoint, const std::string& where) {
  NamedTensors state = model.state();
  for (const auto& [name, tensor] : absentBottlenecks(model, checkpoint.tensors, where))
    state.emplace_back(name, at::zeros(tensor.sizes()));
  const auto learned = learnedAlphasIn(checkpoint, where);
  if (!learned || learned->empty()) return state;
  auto layers = layersWith(model, *learned);
  for (const auto& item : state)
    layers.erase(item.first);
  for (const auto& item : checkpoint.tensors)
    if (const auto layer = layers.find(item.first); layer != layers.end())
      state.emplace_back(item.first, at::zeros({model.heads(layer->second)}));
  return state;
}

void applyWeights(Model& model, const LoadPlan& plan,
                  const std::optional<std::vector<LearnedAlpha>>& learned) {
  attachBottlenecks(model, plan.values);
  if (!learned) return valueOrThrow(applyLoad(model.state(), plan));
  const auto layers = layersWith(model, *learned);
  std::set<int> loaded;
  for (const auto& item : plan.values)
    if (const auto layer = layers.find(item.first); layer != layers.end())
      loaded.insert(layer->second);
  std::vector<LearnedAlpha> kept = *learned;
  std::erase_if(kept, [&](const LearnedAlpha& entry) { return !loaded.contains(entry.layer); });
  model.setLearnedAlphas(kept);
  LoadPlan fitting = plan;
  forgetOthers(fitting, model.state());
  valueOrThrow(applyLoad(model.state(), fitting));
  model.setMasks(model.masks());
}

}  // namespace headlight
