// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/attribution/PixelGradient.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

#include "core/workbench/attribution/HeatmapParts.h"

namespace headlight {

at::Tensor pixelGradient(Model& model, const at::Tensor& image, const CapturedPass& pass,
                         int classIndex, const std::function<void()>& step, int cell) {
  ClassGradient gradient(model, pass, classIndex, cell);
  goBackTo(gradient, -1, step);
  const at::AutoGradMode withGradients(true);
  const at::Tensor pixels = image.detach().clone().requires_grad_(true);
  return torch::autograd::grad({model.embed(pixels)}, {pixels}, {gradient.atTokens()})[0];
}

std::vector<float> productByPatch(const at::Tensor& image, const at::Tensor& slopes,
                                  const Grid& grid) {
  const at::NoGradGuard noGrad;
  const at::Tensor pixels = (image.to(at::kDouble) * slopes.to(at::kDouble))[0].sum(0).to(at::kCPU);
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

}  // namespace headlight
