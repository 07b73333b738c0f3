// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/layers/SwinParts.h"

#include <ATen/ATen.h>

#include "core/attention/base/MixedPrecision.h"
#include "core/attention/base/SharedNorm.h"
#include "core/base/Result.h"
#include "core/base/Translation.h"

namespace headlight {
namespace {

torch::nn::Conv2d halving(int from, int to, bool bias) {
  return torch::nn::Conv2d(
      torch::nn::Conv2dOptions(from, to, /*kernel_size=*/3).stride(2).padding(1).bias(bias));
}

/// [B, C, rows, cols] → [B, N, C].
at::Tensor asTokens(const at::Tensor& image) {
  return image.flatten(2).transpose(1, 2);
}

}  // namespace

PatchStem::PatchStem(const ModelConfig& config)
    : PatchEmbedding(config.patchSize, config.stageWidth(0)) {
  m_norm = register_module("norm", makeNorm(config.stageWidth(0), config.normEpsilon));
  initialize();
}

void PatchStem::count(CostCounter& counter, const ModelConfig& config) {
  const int width = config.stageWidth(0);
  counter.convolution("proj", 3, width, config.patchSize, 1, true, config.grid().patches());
  counter.parameters("norm", 2 * width);
}

void ConvolutionStem::check(const ModelConfig& config) {
  if (config.patchSize != 4)
    throw Failure({ErrorCode::InvalidConfig,
                   tr("a stem of two stride-2 convolutions gives patches of 4 pixels; set this to "
                      "4, or layout.stem to patch"),
                   "model.patch_size"});
  if (config.stageWidth(0) % 2 != 0)
    throw Failure({ErrorCode::InvalidConfig,
                   tr("the stem's first convolution has half the width; use an even width"),
                   config.stageWidths.empty() ? "model.width" : "model.stage_widths"});
}

ConvolutionStem::ConvolutionStem(const ModelConfig& config) {
  check(config);
  const int width = config.stageWidth(0);
  m_first = register_module("conv1", halving(3, width / 2, false));
  m_firstNorm = register_module("norm1", torch::nn::BatchNorm2d(width / 2));
  m_second = register_module("conv2", halving(width / 2, width, false));
  m_secondNorm = register_module("norm2", torch::nn::BatchNorm2d(width));
}

void ConvolutionStem::count(CostCounter& counter, const ModelConfig& config) {
  check(config);
  const int width = config.stageWidth(0), half = width / 2;
  counter.convolution("conv1", 3, half, 3, 1, false, 4 * config.grid().patches());
  counter.convolution("conv2", half, width, 3, 1, false, config.grid().patches());
  counter.parameters("norms", 2 * (half + width));
}

at::Tensor ConvolutionStem::computeTokens(const at::Tensor& images) {
  const at::Tensor half = at::hardswish(batchNormed(m_firstNorm, inFloat32(m_first(images))));
  return asTokens(at::hardswish(batchNormed(m_secondNorm, inFloat32(m_second(half)))));
}

PatchMerging::PatchMerging(const MergingSize& size, bool normLast) : m_normLast(normLast) {
  m_norm = register_module("norm", makeNorm(normLast ? size.to : 4 * size.from, size.normEpsilon));
  m_reduction = register_module(
      "reduction", torch::nn::Linear(torch::nn::LinearOptions(4 * size.from, size.to).bias(false)));
}

at::Tensor PatchMerging::merge(const at::Tensor& tokens, const Grid& grid) {
  const std::int64_t width = tokens.size(2);
  const Grid merged = grid.strided(2);
  at::Tensor image = tokens.reshape({-1, grid.rows, grid.cols, width});
  const int below = grid.rows % 2, right = grid.cols % 2;
  if (below + right > 0) image = at::constant_pad_nd(image, {0, 0, 0, right, 0, below});
  // Column by column of the 2 × 2, as Swin has it.
  const at::Tensor joined = image.reshape({-1, merged.rows, 2, merged.cols, 2, width})
                                .permute({0, 1, 3, 4, 2, 5})
                                .reshape({-1, merged.patches(), 4 * width});
  if (m_normLast) return m_norm(inFloat32(m_reduction(joined)));
  return inFloat32(m_reduction(branchNormed(m_norm, joined)));
}

ConvolutionMerging::ConvolutionMerging(const MergingSize& size) {
  m_reduction = register_module("reduction", halving(size.from, size.to, true));
  m_norm = register_module("norm", makeNorm(size.to, size.normEpsilon));
}

at::Tensor ConvolutionMerging::merge(const at::Tensor& tokens, const Grid& grid) {
  const at::Tensor image =
      tokens.transpose(1, 2).reshape({tokens.size(0), tokens.size(2), grid.rows, grid.cols});
  return m_norm(asTokens(inFloat32(m_reduction(image))));
}

std::shared_ptr<Merging> makeMerging(const std::string& kind, const MergingSize& size) {
  if (kind == "conv") return std::make_shared<ConvolutionMerging>(size);
  return std::make_shared<PatchMerging>(size, kind == "patch_norm");
}

void countMerging(CostCounter& counter, const std::string& kind, const MergingSize& size,
                  const Grid& after) {
  if (kind == "conv") {
    counter.convolution("reduction", size.from, size.to, 3, 1, true, after.patches());
    counter.parameters("norm", 2 * size.to);
    return;
  }
  counter.parameters("norm", kind == "patch_norm" ? 2 * size.to : 8 * size.from);
  counter.linear("reduction", 4 * size.from, size.to, false, after.patches());
}

}  // namespace headlight
