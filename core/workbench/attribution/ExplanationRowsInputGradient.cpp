// SPDX-License-Identifier: GPL-3.0-or-later

// ExplanationRows.h: input × gradient (Shrikumar et al. 2016, "Not Just a Black Box"),
// Σ x ⊙ ∂logit/∂x over the pixels and channels of each patch; x is the normalized image, whose 0 is
// the model's mean color. Positive patches speak for the class, negative ones against it.

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

#include "core/workbench/attribution/ExplanationRows.h"
#include "core/workbench/attribution/HeatmapParts.h"

namespace headlight {
namespace {

/// ∂logit/∂x [1, 3, H, W], where `ofTokens` is that at the tokens that enter the first block.
at::Tensor gradientAtPixels(const ExplainedPass& asked, const at::Tensor& ofTokens) {
  const at::AutoGradMode withGradients(true);
  const at::Tensor image = asked.image.detach().clone().requires_grad_(true);
  return torch::autograd::grad({asked.model.embed(image)}, {image}, {ofTokens})[0];
}

/// Sums over the rectangle of pixels that each patch stands for, as faithfulness cuts them.
std::vector<float> sumsByPatch(const at::Tensor& pixels, const Grid& grid) {
  std::vector<float> sums;
  const std::int64_t tall = pixels.size(0), wide = pixels.size(1);
  for (int r = 0; r < grid.rows; ++r) {
    const at::Tensor band = pixels.slice(0, r * tall / grid.rows, (r + 1) * tall / grid.rows);
    for (int c = 0; c < grid.cols; ++c)
      sums.push_back(static_cast<float>(
          band.slice(1, c * wide / grid.cols, (c + 1) * wide / grid.cols).sum().item<double>()));
  }
  return sums;
}

PatchHeatmap inputTimesGradient(const ExplainedPass& asked) {
  ClassGradient gradient(asked.model, asked.pass, asked.classIndex);
  goBackTo(gradient, -1, asked.step);
  const at::Tensor slopes = gradientAtPixels(asked, gradient.atTokens());
  const at::NoGradGuard noGrad;
  const at::Tensor products =
      (asked.image.to(at::kDouble) * slopes.to(at::kDouble))[0].sum(0).to(at::kCPU);
  const Grid grid = asked.model.grid(0);
  return {sumsByPatch(products, grid), grid};
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
