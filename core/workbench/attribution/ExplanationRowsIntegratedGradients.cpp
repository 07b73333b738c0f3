// SPDX-License-Identifier: GPL-3.0-or-later

// ExplanationRows.h: integrated gradients (Sundararajan, Taly & Yan 2017, "Axiomatic Attribution for
// Deep Networks", Eq. 1) from the model's mean color, which is 0 in the normalized image:
// Σ x ⊙ ∫₀¹ ∂logit/∂x(αx) dα over each patch. All patches add up to logit(x) − logit(0). Norms make
// the logit steep near α = 0, where even points miss half of it: the midpoint rule is over t, α = t³.

#include <ATen/ATen.h>

#include "core/workbench/attribution/ExplanationRows.h"
#include "core/workbench/attribution/PixelGradient.h"

namespace headlight {
namespace {

constexpr int kPoints = 32;

PatchHeatmap integratedGradients(const ExplainedPass& asked) {
  const auto quiet = [] {};
  const int layers = asked.model.layers();
  at::Tensor slopes;
  for (int i = 0; i < kPoints; ++i) {
    const double t = (i + 0.5) / kPoints;
    const at::Tensor between = asked.image * (t * t * t);
    const CapturedPass pass = capturedPass(asked.model, between, quiet);
    const at::Tensor here =
        pixelGradient(asked.model, between, pass, asked.classIndex, quiet, asked.cell) *
        (3 * t * t);
    slopes = slopes.defined() ? slopes + here : here;
    // As many steps as the caller expects of one way back, spread over all.
    for (int s = i * layers / kPoints; s < (i + 1) * layers / kPoints; ++s)
      asked.step();
  }
  const Grid grid = asked.model.grid(0);
  return {productByPatch(asked.image, slopes / kPoints, grid), grid};
}

}  // namespace

ExplanationRow integratedGradientsRow() {
  return {.info = {.name = "integrated-gradients",
                   .title = "integrated gradients",
                   .help = "Evidence for and against a class among the pixels: the image times its "
                           "mean gradient on the way from the mean color to it, summed over each "
                           "patch; works for every mechanism.",
                   .source = "Sundararajan, Taly & Yan 2017",
                   .keys = "Ctrl+W, N",
                   .ofClass = true,
                   .isSigned = true},
          .heatmap = integratedGradients};
}

}  // namespace headlight
