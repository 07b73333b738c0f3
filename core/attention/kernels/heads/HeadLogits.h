// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What becomes of the logits S [B, H, Tq, Tk] of a layer before their softmax, as tensors: shared
// by the kernels. In this order:
//   S ← S ⊙ factor + bias + terms, then each head's mask, then −∞ between windows' regions.
// And what becomes of the weights after it.

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

#include "core/attention/kernels/heads/SelectedSets.h"

namespace headlight {

enum class LogitRule {
  Keep,      ///< S
  Multiply,  ///< M ⊙ S: hard and random (MaiT Eq. 2)
  Blend,     ///< (M + α(1 − M)) ⊙ S: soft (MaiT §4.3)
  Forbid,    ///< S where M = 1, −∞ elsewhere: strict
  Add,       ///< S + M: decay, M being d·ln γ; dense, for no two pairs outside share a weight
};

/// Tensors are in S's dtype; undefined where a layer has none. All but masks and `apart` are
/// differentiable.
struct HeadLogits {
  std::vector<LogitRule> rules;   ///< one a head
  std::vector<at::Tensor> masks;  ///< M of each head, [Tq, Tk]; undefined for Keep
  /// What each head selects, where the linear-time kernel is to run it (Multiply and Forbid only;
  /// its M may then be undefined); null, or the whole vector empty: dense.
  std::vector<std::shared_ptr<const SelectedSets>> sets;
  at::Tensor alpha;   ///< [H]; undefined where no head blends
  at::Tensor factor;  ///< [H or 1, Tq, Tk]: a learned mask (IBiT, `logits`), a learned scale (LSLA)
  at::Tensor bias;    ///< [H, Tq, Tk]: by relative position (Swin, LeViT, LSLA)
  at::Tensor weightFactor;  ///< [H, Tq, Tk]: a learned mask (IBiT, `weights`) on the softmax, whose
                            ///< rows are then divided by their sum of absolute values
  /// Weights up to this are 0 after the softmax, and the others stay (Castling-ViT, Eq. 10); below 0:
  /// all stay. Not beside a weight factor.
  double leastWeight = -1;
  /// For keys on a grid of rows × cols: [B, H, Tq, rows] and [B, H, Tq, cols], added to every key
  /// of a row and of a column (MViTv2, Eq. 4). Both or neither.
  at::Tensor rowTerms, colTerms;
  /// [G, Tq, Tk] bool: pairs that image b of the batch must not join, where G divides B and b takes
  /// b mod G (windows across the edge of a shifted image).
  at::Tensor apart;

  bool isLinear(std::size_t head) const { return head < sets.size() && sets[head]; }
  bool anyMasked() const {
    for (const LogitRule rule : rules)
      if (rule != LogitRule::Keep) return true;
    return false;
  }
  /// Whether anything but masks is applied; such heads are dense.
  bool hasTerms() const {
    return factor.defined() || bias.defined() || weightFactor.defined() || rowTerms.defined() ||
           apart.defined() || dropsWeights();
  }
  bool dropsWeights() const { return leastWeight >= 0; }
  bool requiresGrad() const;
};

/// `logits` [B, H, Tq, Tk] with the masks applied, by plain tensor operations.
at::Tensor maskedLogits(const at::Tensor& logits, const HeadLogits& rules);

/// `logits` with everything applied that comes before the softmax, by plain tensor operations.
at::Tensor finalLogits(const at::Tensor& logits, const HeadLogits& rules);

/// Weights from logits with everything applied, by plain tensor operations.
at::Tensor headWeights(const at::Tensor& logits, const HeadLogits& rules);

/// Rows of weights are never divided by less.
constexpr double kLeastRowSum = 1e-12;

}  // namespace headlight
