// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The interface of an attention mechanism: what stands between the first norm of a block and its
// residual. CONTRIBUTING says what a new mechanism takes.

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/attention/base/AttentionHook.h"
#include "core/attention/base/Cost.h"
#include "core/attention/base/UndecayedParameters.h"
#include "core/config/Catalog.h"
#include "core/masks/Grid.h"
#include "core/masks/HeadMask.h"
#include "core/masks/LearnedAlpha.h"

namespace headlight {

struct LearnedMaskFit;

/// What the weights alone say of every pair of tokens, the same for every image: an image that a
/// mechanism offers beside its maps.
struct LearnedPairs {
  std::string name;     ///< as typed and stored: "inner_bias"
  std::string title;    ///< in words: "inner bias B_i"
  std::string meaning;  ///< what it does, in sentences
  bool isSigned = false;
  /// [H, T, T], or within windows of P places [H, P, P]; one for H where all heads share it.
  at::Tensor values;
  Grid window = {};        ///< one window's places; only within windows, as what follows
  at::Tensor places = {};  ///< [T] int64: each token's place in its window; −1: none (class token)
  at::Tensor seen = {};  ///< [T, P] int64: the token in each place of its window; −1: it sees none
};

/// What turns the outputs of a layer's heads, side by side, into the layer's own.
struct HeadProjection {
  /// [D', H·d]: columns h·d to (h + 1)·d take head h in, so that zeros there are a head whose
  /// output is 0. Shares storage with the parameter. Undefined: nothing follows the heads.
  at::Tensor weight;
  /// An activation that the outputs pass first, 0 at 0: "hard-swish". Empty: none, and Σ W ⊙ ∂L/∂W
  /// over a head's columns is Σ output · ∂L/∂output exactly.
  std::string activation = {};
};

struct AttentionOptions {
  int layer = 0;         ///< counted over the whole model
  int stage = 0;         ///< 0 in a model without stages
  int layerInStage = 0;  ///< windows are shifted in every second block of a stage
  int width = 192;       ///< D
  int heads = 3;         ///< H; divides D
  bool qkvBias = true;
  bool keyBias = true;        ///< off: queries and values alone have one, apart (BEiT, EVA)
  bool projBias = true;       ///< of the projection after the heads (softmax)
  double normEpsilon = 1e-6;  ///< of norms inside the attention, where a mechanism has any
  Grid grid;
  Json options = Json::object();  ///< of this mechanism, complete (ModelConfig::attention)
};

class Attention : public torch::nn::Module, public UndecayedParameters {
 public:
  /// [B, T, D] → [B, T, D]. Where the tap wants this layer it is given [B, H, T, T].
  virtual at::Tensor forward(const at::Tensor& tokens, AttentionHook* tap) = 0;

  /// Where the tokens of passes to come lie, if not where the layer was made for. Throws
  /// Failure(InvalidConfig) and changes nothing where weights belong to positions.
  virtual void setGrid(const Grid& grid);
  /// Which patches the tokens of passes to come are, after the prefix tokens, where some were
  /// dropped (MAE): [B, K] int64, rising in each row, on the tokens' device. Undefined: all of the
  /// grid. Throws Failure(InvalidConfig) where the mechanism needs every patch.
  virtual void setKept(const at::Tensor& kept);

  /// [W, M] int64: the token in each place of each window, in the order of QueryKeyHook's windows of
  /// one image; −1 on padding. Undefined: tokens of the whole image compare with each other.
  virtual at::Tensor windowTokens() const { return {}; }

  /// Through which a head can be silenced, and asked what it is worth, by weights alone.
  virtual HeadProjection headProjection() const { return {}; }

  /// Where each head may look; `masks` has one entry a head. A mechanism without logits on a grid
  /// refuses anything but `none`.
  virtual void setMasks(const std::vector<HeadMask>& masks);
  /// α of every head now; NaN where its mask is not soft.
  virtual std::vector<float> softAlphas() const;
  /// What heads learned of their α, soft now or not; layers are left 0.
  virtual std::vector<LearnedAlpha> learnedAlphas() const { return {}; }
  /// Replaces it: soft_mask_logit is there afterwards if any head learned, and is to be filled by
  /// the caller, who then calls setMasks. Heads beyond the last are ignored.
  virtual void setLearnedAlphas(const std::vector<LearnedAlpha>& /*learned*/) {}
  /// [H] bool: elements of soft_mask_logit whose heads are not soft, so that nothing may move them;
  /// undefined where there are none.
  virtual at::Tensor idleAlphas() const { return {}; }

  /// What a map of this mechanism is, in words.
  virtual std::string mapMeaning() const = 0;
  /// What is easily overlooked about this layer's numbers, in a sentence; empty: nothing.
  virtual std::string notice() const { return {}; }
  virtual bool mapIsSigned() const { return false; }
  /// By what its last forward pass was computed here, in words; before one, by what it will be.
  virtual std::string kernelText() const { return "matrix products"; }
  /// Whether nothing in a map is negative and each row sums to 1, or is 0; a rollout makes the rows
  /// of other maps so.
  virtual bool mapRowsSumToOne() const { return !mapIsSigned(); }

  /// Images of this layer's own parameters, if it has any worth looking at.
  virtual std::vector<LearnedPairs> learnedPairs() { return {}; }

  /// Added to the training loss after a forward pass; undefined: nothing.
  virtual at::Tensor auxiliaryLoss() { return {}; }
  /// `fraction` of the training steps is done, in [0, 1]: for schedules.
  virtual void setProgress(double fraction);
  /// Numbers worth watching from the last forward pass, by name ("nonzeros").
  virtual std::vector<std::pair<std::string, double>> readings() const { return {}; }
  /// The descent that its masks started from (LearnedMaskFit.h), as remembered for the process:
  /// layers that share it give the same address. Null: there was none.
  virtual const LearnedMaskFit* startingFit() const { return nullptr; }

 protected:
  explicit Attention(int heads) : m_headCount(heads) {}

 private:
  int m_headCount;
};

/// The options of a mechanism as its struct.
template <typename Options>
Options optionsAs(const ParameterTable& table, const Json& json) {
  Options options;
  valueOrThrow(readParameters(table, json, &options, "model.attention"));
  return options;
}

}  // namespace headlight
