// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/session/Kernels.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "core/base/Ranges.h"
#include "core/workbench/loading/LoadedModel.h"
#include "core/workbench/loading/TorchRuntime.h"
#include "core/workbench/session/InferenceSession.h"

namespace headlight {

Result<std::vector<std::string>> listKernels(const Experiment& experiment) {
  return guarded(experiment.model.name, [&] {
    configureCompute(experiment.threads);
    const at::NoGradGuard noGrad;
    const LoadedModel loaded = buildModel(experiment, experiment.device);
    const ModelConfig& config = experiment.model;
    loaded.model->forward(
        at::zeros({1, 3, config.imageHeightPixels(), config.imageWidthPixels()},
                  at::TensorOptions(at::Device(loaded.info.device)).dtype(at::kFloat)));
    return loaded.model->kernels();
  });
}

std::string kernelSummary(const std::vector<std::string>& layers) {
  std::vector<std::pair<std::string, std::vector<int>>> groups;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const auto& known) { return known.first == layers[l]; });
    if (group == groups.end()) group = groups.insert(groups.end(), {layers[l], {}});
    group->second.push_back(static_cast<int>(l));
  }
  if (groups.size() == 1) return groups[0].first;
  std::string text;
  for (const auto& [kernel, members] : groups)
    text += (text.empty() ? "" : "; ") + std::string(members.size() > 1 ? "layers " : "layer ") +
            rangesText(members) + ": " + kernel;
  return text;
}

}  // namespace headlight
