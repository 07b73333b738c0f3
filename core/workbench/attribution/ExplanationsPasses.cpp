// SPDX-License-Identifier: GPL-3.0-or-later

// Explanations.h: what follows a class through a model: its heat over the patches, and its
// probability by depth.

#include <ATen/ATen.h>

#include <algorithm>

#include "core/attention/base/MixedPrecision.h"
#include "core/workbench/attribution/Explanations.h"
#include "core/workbench/attribution/RelevanceMaps.h"
#include "core/workbench/loading/LoadedModel.h"
#include "core/workbench/session/ModelAccess.h"
#include "core/workbench/session/ModelPass.h"

namespace headlight {
namespace {

HeatOnPatches explanationHeat(Model& model, const KeptPass& pass, const Heatmap& heat,
                              const std::function<void()>& step) {
  if (heat.way == ExplanationMethod::Relevance)
    return classRelevance(model, pass, heat.classIndex, step);
  if (heat.way == ExplanationMethod::AttentionGradient)
    return attentionTimesGradient(model, pass, heat.classIndex, heat.layer, step);
  return gradCam(model, pass, heat.classIndex, heat.layer, step);
}

std::string heatNote(const HeatOnPatches& from, const Heatmap& heat, const ModelInfo& info) {
  if (heat.way == ExplanationMethod::GradCam) return "";
  std::string note = from.ofClassToken ? "" : "mean over the patches that look";
  const auto add = [&](const std::string& part) { note += (note.empty() ? "" : "; ") + part; };
  if (!from.note.empty()) add(from.note);
  if (info.mapIsSigned) add("signed maps as they are");
  return note;
}

}  // namespace

Result<Heatmap> classHeat(InferenceSession& session, const RawImages& picture,
                          const MaskScheme& masks, ExplanationMethod way,
                          const ExplanationOptions& options, const ProgressCallback& progress,
                          std::stop_token stop) {
  return guarded(infoOf(way).name, [&] {
    const ModelInfo& info = session.info();
    if (!infoOf(way).isHeatmap || !infoOf(way).ofClass)
      throw Failure({ErrorCode::InvalidArgument, "is not of a class", infoOf(way).name});
    requireClassifier(info, infoOf(way).name, infoOf(way).title);
    Heatmap heat;
    heat.way = way;
    withModel(session, [&](Model& model) {
      const at::Tensor image = modelInput(info, picture);
      const int layer = layerOrLast(options.layer, model.layers());
      if (infoOf(way).ofLayer) heat.layer = layer;
      model.setMasks(masks);
      const int back = model.layers() - std::max(heat.layer, 0);
      PassSteps steps("following the gradient", progress, stop, model.layers() + back);
      const KeptPass pass = keptPass(model, image, [&] { steps(); });
      const std::vector<float> logits = plainValues(pass.logits);
      const auto top = topClassesOf(logits, info.classNames, static_cast<int>(logits.size()));
      heat.classIndex = options.classIndex < 0 ? top.front().index : options.classIndex;
      const HeatOnPatches from = explanationHeat(model, pass, heat, [&] { steps(); });
      for (const ClassScore& score : top)
        if (score.index == heat.classIndex) {
          heat.className = score.name;
          heat.probability = score.probability;
        }
      heat.values = from.values;
      heat.grid = from.grid;
      heat.note = heatNote(from, heat, info);
    });
    return heat;
  });
}

Result<DepthPrediction> predictionByDepth(InferenceSession& session, const RawImages& picture,
                                          const MaskScheme& masks, int topClasses,
                                          std::stop_token stop) {
  return guarded("depth", [&] {
    const ModelInfo& info = session.info();
    requireClassifier(info, "depth", infoOf(ExplanationMethod::Depth).title);
    DepthPrediction result;
    withModel(session, [&](Model& model) {
      model.setMasks(masks);
      const KeptPass pass =
          keptPass(model, modelInput(info, picture), [&] { throwIfPassStopped(stop); });
      const int last = model.layers() - 1;
      for (int l = 0; l <= last; ++l) {
        throwIfPassStopped(stop);
        const at::Tensor& tokens = pass.tokens[l + 1];
        // A class token that joins later is not there yet; a stage's features are of its own width.
        const bool fits = tokens.size(2) == pass.tokens.back().size(2) &&
                          model.grid(l).prefix == model.grid(last).prefix;
        if (!fits) {
          result.note =
              "from layer " + std::to_string(l + 1) + " on: before it the head does not fit";
          result.probabilities.emplace_back();
          result.top.emplace_back();
          continue;
        }
        const at::Tensor logits = inFloat32(model.classify(tokens))[0];
        result.probabilities.push_back(plainValues(logits.to(at::kDouble).softmax(0)));
        result.top.push_back(topClassesOf(plainValues(logits), info.classNames, topClasses));
      }
    });
    return result;
  });
}

}  // namespace headlight
