// SPDX-License-Identifier: GPL-3.0-or-later

// ExplanationRows.h: Grad-CAM (Selvaraju et al. 2017) on tokens, (Σ_c w_c F_pc)⁺ with F the patch
// tokens that enter a block's attention and w their gradient's mean over the patches. Works for
// every mechanism: no map is needed.

#include <ATen/ATen.h>

#include "core/base/Translation.h"
#include "core/workbench/attribution/ExplanationRows.h"
#include "core/workbench/attribution/HeatmapParts.h"

namespace headlight {
namespace {

/// Where the `tokens` that enter the attention of `layer` lie: on its grid, or, where that pools
/// its queries, on the one before.
Grid gridEntering(const Model& model, int layer, std::int64_t tokens) {
  for (int l = layer; l >= 0; --l)
    if (model.grid(l).tokens() == tokens) return model.grid(l);
  throw Failure(
      {ErrorCode::InvalidArgument,
       tr("the tokens that enter layer ") + std::to_string(layer) + tr(" do not form a grid"),
       "grad-cam"});
}

PatchHeatmap gradCam(const ExplainedPass& asked) {
  ClassGradient gradient(asked.model, asked.pass, asked.classIndex, asked.cell);
  goBackTo(gradient, asked.layer, asked.step);
  const BlockGradient block = gradient.stepBack(/*withMap=*/false);
  asked.step();
  if (!block.entering.defined())
    throw Failure({ErrorCode::InvalidArgument,
                   tr("this backbone does not expose the inputs of its attention"), "grad-cam"});
  PatchHeatmap heatmap;
  heatmap.grid = gridEntering(asked.model, asked.layer, block.entering.size(1));
  const at::NoGradGuard noGrad;
  const at::Tensor features = block.entering.detach()[0].slice(0, heatmap.grid.prefix);
  const at::Tensor slopes = block.ofEntering.defined()
                                ? block.ofEntering[0].slice(0, heatmap.grid.prefix)
                                : at::zeros_like(features);
  const at::Tensor sums = (features.to(at::kDouble).matmul(slopes.to(at::kDouble).mean(0)))
                              .clamp_min(0)
                              .to(at::kCPU, at::kFloat)
                              .contiguous();
  heatmap.values.assign(sums.data_ptr<float>(), sums.data_ptr<float>() + sums.numel());
  return heatmap;
}

}  // namespace

ExplanationRow gradCamRow() {
  return {.info = {.name = "grad-cam",
                   .title = "Grad-CAM",
                   .help = "Evidence for a class among the input tokens of a layer's attention, "
                           "weighted by their gradient; works for every mechanism.",
                   .source = "Selvaraju et al. 2017",
                   .keys = "Ctrl+W, G",
                   .ofClass = true,
                   .ofLayer = true},
          .heatmap = gradCam};
}

}  // namespace headlight
