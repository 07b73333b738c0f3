#pragma once
// What the rest of core knows of a model, whatever its backbone.

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/attention/AttentionTap.h"
#include "core/base/Result.h"
#include "core/config/ModelConfig.h"
#include "core/masks/MaskScheme.h"

namespace headlight {

/// Names and tensors that share storage with the model's own.
using ModelTensors = std::vector<std::pair<std::string, at::Tensor>>;

/// A model runs in three parts so that a viewer can keep the tokens between blocks and recompute
/// from the block it edited: embed, block 0 … layers−1, classify. All expect images as
/// [B, 3, H, W] float32, normalised, and tokens as [B, T, D].
class Model : public torch::nn::Module {
 public:
  virtual const ModelConfig& config() const = 0;
  virtual int layers() const = 0;
  virtual int heads(int layer) const = 0;
  virtual Grid grid(int layer) const = 0;
  std::vector<int> headsPerLayer() const;

  virtual at::Tensor embed(const at::Tensor& images) = 0;
  virtual at::Tensor block(int layer, const at::Tensor& tokens, AttentionTap* tap) = 0;
  /// Logits [B, classes]. Of a distilled model in evaluation: the mean of its two heads.
  virtual at::Tensor classify(const at::Tensor& tokens) = 0;

  at::Tensor forward(const at::Tensor& images, AttentionTap* tap = nullptr);

  /// Replaces where every head may look. Parameters that a kind needs (soft_mask_logit) appear when
  /// first used, starting from the mask's α, and keep their learned values afterwards unless
  /// the edit says otherwise. Errors: a scheme of another shape.
  virtual void setMasks(const MaskScheme& scheme) = 0;
  virtual const MaskScheme& masks() const = 0;
  /// α of every head of a layer now; NaN where the head's mask is not soft.
  virtual std::vector<float> softAlphas(int layer) const = 0;

  /// What the map of a mechanism is, in words for the interface, and whether it is signed.
  virtual std::string mapMeaning() const = 0;
  virtual bool mapIsSigned() const { return false; }

  /// Parameters in timm's names, then buffers; both as they would be saved.
  ModelTensors state() const;
  ModelTensors trainable() const;
  /// Whether AdamW decays this parameter: matrices do; biases, norms, tokens, position embeddings,
  /// LayerScale and soft mask logits do not (timm's rule).
  virtual bool decays(const std::string& name, const at::Tensor& parameter) const;
};

/// Seeds LibTorch's generators (drop path, initialisation).
void seedTorch(std::uint64_t seed);

/// Builds a registered backbone, initialised from `seed` as timm does. Throws Failure.
std::shared_ptr<Model> makeModel(const ModelConfig& config, std::uint64_t seed);

}  // namespace headlight
