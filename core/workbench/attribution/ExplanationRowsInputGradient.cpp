// SPDX-License-Identifier: GPL-3.0-or-later

// ExplanationRows.h: input × gradient (Shrikumar et al. 2016, "Not Just a Black Box"),
// Σ x ⊙ ∂logit/∂x over the pixels and channels of each patch; x is the normalized image, whose 0 is
// the model's mean color. Positive patches speak for the class, negative ones against it.

#include "core/workbench/attribution/ExplanationRows.h"
#include "core/workbench/attribution/PixelGradient.h"

namespace headlight {
namespace {

PatchHeatmap inputTimesGradient(const ExplainedPass& asked) {
  const at::Tensor slopes =
      pixelGradient(asked.model, asked.image, asked.pass, asked.classIndex, asked.step, asked.cell);
  const Grid grid = asked.model.grid(0);
  return {productByPatch(asked.image, slopes, grid), grid};
}

}  // namespace

ExplanationRow inputGradientRow() {
  return {.info = {.name = "input-gradient",
                   .title = "input × gradient",
                   .help = "Evidence for and against a class among the pixels: the image times its "
                           "gradient, summed over each patch; works for every mechanism.",
                   .source = "Shrikumar et al. 2016",
                   .keys = "Ctrl+W, I",
                   .ofClass = true,
                   .isSigned = true},
          .heatmap = inputTimesGradient};
}

}  // namespace headlight
