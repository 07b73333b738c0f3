// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the rest of core knows of a model, whatever its backbone.

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/attention/base/Attention.h"
#include "core/attention/base/AttentionHook.h"
#include "core/base/Result.h"
#include "core/config/ModelConfig.h"
#include "core/masks/MaskScheme.h"
#include "core/models/detection/CellScores.h"
#include "core/models/layers/ObjectHead.h"
#include "core/models/segmentation/SegmentScores.h"

namespace headlight {

/// Names and tensors that share storage with the model's own.
using ModelTensors = std::vector<std::pair<std::string, at::Tensor>>;

/// Logits [B, classes] of the class head, and of the distillation head where there is one.
struct ClassLogitsPair {
  at::Tensor logits, distilled;
};

/// A model runs in three parts so that a viewer can keep the tokens between blocks and recompute
/// from the block it edited: embed, block 0 … layers−1, classify. All expect images as
/// [B, 3, H, W] float32, normalized, and tokens as [B, T, D]; T and D may change from block to
/// block (a block begins with the merging that its stage begins with).
class Model : public torch::nn::Module {
 public:
  const ModelConfig& config() const { return m_config; }
  int layers() const { return static_cast<int>(m_masks.layers()); }
  int heads(int layer) const { return m_masks.heads(layer); }
  /// Where the tokens of a layer's attention lie.
  virtual Grid grid(int layer) const = 0;
  /// The same for tokens that enter the layer's block, where images may have any sides.
  virtual Grid gridOf(int layer, const at::Tensor& /*tokens*/) const { return grid(layer); }
  /// Where the places of its learned positions lie, if it has any.
  virtual Grid positionGrid() const { return grid(0); }
  std::vector<int> headsPerLayer() const { return m_masks.shape().heads; }

  virtual at::Tensor embed(const at::Tensor& images) = 0;
  virtual at::Tensor block(int layer, const at::Tensor& tokens, AttentionHook* tap) = 0;
  /// Logits [B, classes], [B, 0] without a classifier. Of a distilled model: the mean of its two
  /// heads; of a detector: the greatest over its cells.
  virtual at::Tensor classify(const at::Tensor& tokens) = 0;
  /// [B, D]: what the classifier reads, and all that a model without one gives. Undefined where a
  /// backbone does not tell.
  virtual at::Tensor pooledFeatures(const at::Tensor& /*tokens*/) { return {}; }
  /// What detection tokens find; undefined for a model without them.
  virtual ObjectScores findObjects(const at::Tensor& /*tokens*/) { return {}; }
  /// What the cells of a detector say; undefined for a model without cells.
  virtual CellScores findInCells(const at::Tensor& /*tokens*/) { return {}; }
  /// What the queries of a segmenter say; undefined for a model without them.
  virtual SegmentScores findSegments(const at::Tensor& /*tokens*/) { return {}; }
  /// [B, T, D] on the grid: of what has passed `blocks` blocks (0: of what embed gave) the tokens
  /// that blocks attend over. A detector's tokens hold more (Detector.h); elsewhere `tokens`.
  virtual at::Tensor gridTokens(int /*blocks*/, const at::Tensor& tokens) const { return tokens; }
  /// The two heads apart, for distillation.
  virtual ClassLogitsPair classifyBoth(const at::Tensor& tokens) { return {classify(tokens), {}}; }

  at::Tensor forward(const at::Tensor& images, AttentionHook* tap = nullptr);
  /// Logits of images and what the classifier reads, which may be undefined (pooledFeatures).
  std::pair<ClassLogitsPair, at::Tensor> forwardWithFeatures(const at::Tensor& images);
  /// findInCells() of images, in float32.
  CellScores forwardCells(const at::Tensor& images, AttentionHook* tap = nullptr);
  /// findSegments() of images, in float32.
  SegmentScores forwardSegments(const at::Tensor& images, AttentionHook* tap = nullptr);
  /// On: in training, blocks keep only what goes in and are computed again in the backward pass
  /// (Recomputation.h). Throws Failure(InvalidConfig) where a block has batch norms.
  void setRecomputing(bool on);
  ClassLogitsPair forwardBoth(const at::Tensor& images);

  /// Replaces where every head may look. Parameters that a kind needs (soft_mask_logit) appear when
  /// first used, starting from the mask's α. What a head learned stays with it, soft or not, and is
  /// there again when it is soft from the same α (HeadMask::resets). Errors: a scheme of another
  /// shape, a mask that does not fit its layer; all masks are then as before.
  void setMasks(const MaskScheme& scheme);
  const MaskScheme& masks() const { return m_masks; }
  /// α of every head of a layer now; NaN where the head's mask is not soft.
  std::vector<float> softAlphas(int layer) const { return attention(layer).softAlphas(); }
  /// What heads learned of their α, soft now or not.
  std::vector<LearnedAlpha> learnedAlphas() const;
  /// Replaces it, for weights that are about to be loaded: their tensors are there afterwards. To
  /// be followed by setMasks once they are filled. Cells that do not exist are ignored.
  void setLearnedAlphas(const std::vector<LearnedAlpha>& learned);
  /// The name of a layer's soft_mask_logit, whether it is there yet or not.
  std::string softLogitName(int layer) const;
  /// Elements of parameters that training must not move, as masks (bool, shaped as the parameter).
  ModelTensors idleElements() const;

  /// What the map of a mechanism is, in words for the interface, and whether it is signed. What
  /// layers have to say besides (Attention::notice) follows, each sentence once.
  virtual std::string mapMeaning() const;
  /// Attention::notice of the layers, each sentence once.
  std::vector<std::string> notices() const;
  bool mapIsSigned() const { return layers() > 0 && attention(0).mapIsSigned(); }
  /// By what each layer's attention was last computed (Attention::kernelText).
  std::vector<std::string> kernels() const;
  /// In every layer (Attention::mapRowsSumToOne).
  bool mapRowsSumToOne() const;

  /// The sum of the layers' auxiliary losses after a forward pass; undefined: none.
  at::Tensor auxiliaryLoss();
  /// `fraction` of the training steps is done, in [0, 1]: for schedules (Castling's ε). A model
  /// that nobody told counts as trained.
  void setProgress(double fraction);
  double progress() const { return m_progress; }
  /// For each layer's last forward pass, by name.
  std::vector<std::vector<std::pair<std::string, double>>> readings() const;

  /// The module that a layer's attention is a part of: "blocks.0".
  std::string blockName(int layer) const;

  /// What training leaves as it is (FrozenParts.h). Without gradients of its parameters, blocks
  /// before the first one that learns keep no activations; batch norms keep their statistics.
  struct Frozen {
    int leading = 0;     ///< embed() and that many blocks − 1 learn nothing; 0: embed() learns
    bool norms = false;  ///< batch norms whose weights have no gradients are as in evaluation
  };
  void setFrozen(const Frozen& frozen);
  void train(bool on = true) override;
  /// Whether it is the running statistic of a norm that is frozen so.
  bool isFrozenStatistic(const std::string& name) const;

  /// Parameters in timm's names, then buffers; both as they would be saved.
  ModelTensors state() const;
  ModelTensors trainable() const;
  /// Whether weight decay acts on this parameter: on matrices; not on biases, norms, tokens,
  /// position embeddings and tables, LayerScale and soft mask logits (timm's rule). On learned
  /// masks and scales, which belong to positions too, where `masks` (training.decay_masks).
  bool decays(const std::string& name, const at::Tensor& parameter, bool masks = false) const;
  /// Whether training.decay_vectors adds this parameter to those: biases, layer norms, LayerScale;
  /// not batch norms and what is a mechanism's own (PicoDet's rule).
  bool decaysAsVector(const std::string& name, const at::Tensor& parameter) const;
  /// Whether this parameter starts from a fit that weights replace (UndecayedParameters::isFitted).
  bool isFitted(const std::string& name) const;

  /// The attention of a layer.
  virtual Attention& attention(int layer) = 0;
  const Attention& attention(int layer) const { return const_cast<Model*>(this)->attention(layer); }

 protected:
  Model(const ModelConfig& config, const MaskShape& masks);
  /// What embed() gave through every block; in training recomputed where that is on.
  at::Tensor throughBlocks(at::Tensor tokens, AttentionHook* tap);

 private:
  at::Tensor embedded(const at::Tensor& images);
  bool learns(int layer) const;
  /// Of a layer, with windows in its patches.
  std::vector<HeadMask> layerMasks(const MaskScheme& scheme, int layer) const;
  void applyMasks(const MaskScheme& scheme);

  ModelConfig m_config;
  bool m_recomputing = false;
  Frozen m_frozen;
  double m_progress = 1;
  MaskScheme m_masks;
};

/// To be held from seedTorch() to the last draw that follows from it: LibTorch's generators are the
/// process's, and draws of another thread in between would change what is drawn. The functions that
/// make a model hold it themselves, so nobody who holds it may call them.
[[nodiscard]] std::unique_lock<std::mutex> holdTorchRandom();

/// Seeds LibTorch's generators (drop path, dropout, initialization).
void seedTorch(std::uint64_t seed);

/// Throws Failure where the weights of a model of so many parameters are more than the free memory:
/// to be asked before any of them is allocated.
void requireMemoryFor(std::int64_t parameters);

/// Builds a registered backbone, initialized from `seed` as timm does. Throws Failure, also where
/// its weights are more than the free memory.
std::shared_ptr<Model> makeModel(const ModelConfig& config, std::uint64_t seed);

}  // namespace headlight
