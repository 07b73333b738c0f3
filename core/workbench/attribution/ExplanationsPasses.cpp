// SPDX-License-Identifier: GPL-3.0-or-later

// Explanations.h: the methods that follow an image through a model.

#include <ATen/ATen.h>

#include <algorithm>

#include "core/base/Translation.h"
#include "core/workbench/attribution/ExplanationRows.h"
#include "core/workbench/loading/LoadedModel.h"
#include "core/workbench/session/ModelAccess.h"
#include "core/workbench/session/ModelPass.h"
#include "core/workbench/session/RawTensors.h"

namespace headlight {
namespace {

/// The class that is asked about, by its name and with its probability.
void nameClass(Heatmap& heatmap, int asked, const at::Tensor& ofPass, const ModelInfo& info) {
  const std::vector<float> logits = plainValues(ofPass);
  const auto top = rankClasses(logits, info.classNames, static_cast<int>(logits.size()),
                               hasSigmoidScores(info.experiment.model));
  heatmap.classIndex = asked < 0 ? top.front().index : asked;
  for (const ClassScore& score : top)
    if (score.index == heatmap.classIndex) {
      heatmap.className = score.name;
      heatmap.probability = score.probability;
    }
}

/// [classes]: of the image, or of one of its cells.
at::Tensor askedLogits(Model& model, const CapturedPass& pass, int cell) {
  if (cell < 0) return pass.logits;
  const at::NoGradGuard noGrad;
  return classLogits(model, pass.tokens.back(), cell)[0];
}

/// Blocks that a method goes back through.
int blocksBack(const ExplanationInfo& method, int layers, int layer) {
  return method.ofClass ? layers - std::max(layer, 0) : 0;
}

}  // namespace

Result<Heatmap> imageHeatmap(InferenceSession& session, const RawImages& image,
                             const MaskScheme& masks, const std::string& method,
                             const ExplanationOptions& options, const ProgressCallback& progress,
                             std::stop_token stop) {
  return guarded(method, [&] {
    const ExplanationRow& row = explanationRow(method);
    const ModelInfo& info = session.info();
    if (!row.heatmap)
      throw Failure({ErrorCode::InvalidArgument, tr("does not give a heatmap of a single image"),
                     row.info.name});
    if (row.info.ofClass) requireClassifier(info, row.info.name, row.info.title);
    Heatmap heatmap;
    heatmap.method = row.info.name;
    heatmap.isSigned = row.info.isSigned;
    withModel(session, [&](Model& model) {
      const at::Tensor input = modelInput(info, image);
      const int layer = layerOrLast(options.layer, model.layers());
      if (row.info.ofLayer) heatmap.layer = layer;
      model.setMasks(masks);
      PassSteps steps("computing gradients", progress, stop,
                      model.layers() + blocksBack(row.info, model.layers(), heatmap.layer));
      const CapturedPass pass = capturedPass(model, input, [&] { steps(); });
      if (row.info.ofClass) {
        heatmap.cell = options.cell;
        nameClass(heatmap, options.classIndex, askedLogits(model, pass, options.cell), info);
      }
      PatchHeatmap found = row.heatmap({model, info, input, pass, heatmap.classIndex, heatmap.layer,
                                        [&] { steps(); }, heatmap.cell, options.objects});
      heatmap.values = std::move(found.values);
      heatmap.grid = found.grid;
      heatmap.note = std::move(found.note);
      heatmap.box = found.box;
    });
    return heatmap;
  });
}

Result<DepthPrediction> explanationCurve(InferenceSession& session, const RawImages& image,
                                         const MaskScheme& masks, const std::string& method,
                                         int topClasses, std::stop_token stop) {
  return guarded(method, [&] {
    const ExplanationRow& row = explanationRow(method);
    const ModelInfo& info = session.info();
    if (!row.curve) throw Failure({ErrorCode::InvalidArgument, tr("has no curves"), row.info.name});
    if (row.info.ofClass) requireClassifier(info, row.info.name, row.info.title);
    DepthPrediction result;
    withModel(session, [&](Model& model) {
      model.setMasks(masks);
      const at::Tensor input = modelInput(info, image);
      const auto step = [&] { throwIfPassStopped(stop); };
      const CapturedPass pass = capturedPass(model, input, step);
      result = row.curve({model, info, input, pass, -1, -1, step}, topClasses);
    });
    return result;
  });
}

}  // namespace headlight
