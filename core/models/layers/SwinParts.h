// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How a backbone with stages begins, and how it goes from a stage to the next: Swin's patches
// (Liu et al. 2021, §3.1) and ViT-LSLA's convolutions (Hechen et al. 2022, §3.1).

#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>

#include "core/attention/base/Cost.h"
#include "core/masks/Grid.h"
#include "core/models/layers/Parts.h"

namespace headlight {

struct SwinLayout {
  std::string stem = "patch";     ///< "patch" or "conv"
  std::string merging = "patch";  ///< "patch", "patch_norm" or "conv"
  bool postNorm = false;          ///< norms after attention and MLP (Swin V2)
};

/// Images [B, 3, H, W] → tokens [B, N, D].
class Stem {
 public:
  virtual ~Stem() = default;
  virtual at::Tensor computeTokens(const at::Tensor& images) = 0;
};

/// A linear map of every patch and a norm: proj, norm.
class PatchStem : public PatchEmbedding, public Stem {
 public:
  explicit PatchStem(const ModelConfig& config);
  static void count(CostCounter& counter, const ModelConfig& config);
  at::Tensor computeTokens(const at::Tensor& images) override { return m_norm(forward(images)); }

 private:
  torch::nn::LayerNorm m_norm{nullptr};
};

/// Two 3 × 3 convolutions of stride 2, to D/2 and D channels, each with a batch norm and Hardswish
/// as in the stem that ViT-LSLA follows (MPViT, Lee et al. 2022): conv1, norm1, conv2, norm2.
/// Patches are 4 × 4. Throws Failure(InvalidConfig) where the config says otherwise.
class ConvolutionStem : public torch::nn::Module, public Stem {
 public:
  explicit ConvolutionStem(const ModelConfig& config);
  static void count(CostCounter& counter, const ModelConfig& config);
  at::Tensor computeTokens(const at::Tensor& images) override;

 private:
  static void check(const ModelConfig& config);

  torch::nn::Conv2d m_first{nullptr}, m_second{nullptr};
  torch::nn::BatchNorm2d m_firstNorm{nullptr}, m_secondNorm{nullptr};
};

/// What leads into a stage: tokens [B, N, C] on `grid` → [B, N', C'] on half the rows and columns
/// (rounded up: an odd side is padded with zeros).
class Merging : public torch::nn::Module {
 public:
  virtual at::Tensor merge(const at::Tensor& tokens, const Grid& grid) = 0;
};

struct MergingSize {
  int from, to;  ///< widths of the tokens
  double normEpsilon;
};

/// 2 × 2 tokens side by side, a norm, a linear map: norm, reduction. Swin V2: the norm last.
class PatchMerging : public Merging {
 public:
  PatchMerging(const MergingSize& size, bool normLast);
  at::Tensor merge(const at::Tensor& tokens, const Grid& grid) override;

 private:
  bool m_normLast;
  torch::nn::LayerNorm m_norm{nullptr};
  torch::nn::Linear m_reduction{nullptr};
};

/// A 3 × 3 convolution of stride 2, then a norm (ViT-LSLA after CSwin, Dong et al. 2021):
/// reduction, norm.
class ConvolutionMerging : public Merging {
 public:
  explicit ConvolutionMerging(const MergingSize& size);
  at::Tensor merge(const at::Tensor& tokens, const Grid& grid) override;

 private:
  torch::nn::Conv2d m_reduction{nullptr};
  torch::nn::LayerNorm m_norm{nullptr};
};

std::shared_ptr<Merging> makeMerging(const std::string& kind, const MergingSize& size);
/// `after`: the grid that it leads to.
void countMerging(CostCounter& counter, const std::string& kind, const MergingSize& size,
                  const Grid& after);

}  // namespace headlight
