// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How attention maps leave a model: a tap that the forward pass offers them to, layer by layer.
// Without a tap, or for a layer it does not want, no T × T tensor needs to exist.

#include <ATen/core/Tensor.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/attention/base/MapRows.h"

namespace headlight {

/// What a layer makes of values by its weights, for the gradient of those weights:
/// mixed_n = Σ_m weights_nm · values_m + whatever else, so that ∂L/∂weights = ∂L/∂mixed · valuesᵀ
/// whichever kernel ran. B' images or windows.
struct WeighedValues {
  at::Tensor weights;      ///< [B', H, Tq, Tk], signed where the mechanism's are
  at::Tensor values = {};  ///< [B', H, Tk, e]; undefined: `mixed` is `weights` itself, in the graph
  at::Tensor mixed = {};   ///< in the graph: [B', H, Tq, e] or, heads side by side, [B', Tq, H·e]
};

/// A layer's map and what is made of it.
struct FollowedMap {
  std::vector<WeighedValues> products;
  /// Something like each product's weights ([B', 1 or H, Tq, Tk]) over all tokens, as the map that
  /// take() is given has them: [B, 1 or H, T, T]. Empty: the one product's are.
  std::function<at::Tensor(const std::vector<at::Tensor>&)> whole = {};
  std::string note = {};  ///< what must be said of the gradient
};

/// The two parts of a block that add to its tokens.
enum class BlockBranch { Attention, Mlp };

class AttentionHook {
 public:
  virtual ~AttentionHook() = default;
  virtual bool wants(int layer) const = 0;
  /// `map` is [B, H, T, T], detached.
  virtual void take(int layer, const at::Tensor& map) = 0;
  /// Whether it wants to be able to make the map's rows again, of a layer that it wants.
  virtual bool wantsRows(int /*layer*/) const { return false; }
  /// Where the mechanism can make them; called after take(). Of the batch's first image.
  virtual void keep(int /*layer*/, std::shared_ptr<const MapRows> /*rows*/) {}
  /// The same map with what is made of it, of layers that it wants; for gradients.
  virtual void follow(int /*layer*/, FollowedMap /*map*/) {}
  /// [B, T, D]: what enters the attention of the block that runs, in the graph.
  virtual void enter(const at::Tensor& /*tokens*/) {}
  /// [B, T', H·e]: what the heads of the block that runs give, side by side, as their projection
  /// reads it (Attention::headProjection). What this returns goes on in its place.
  virtual at::Tensor heads(const at::Tensor& outputs) { return outputs; }
  /// [B, T', D]: what the block that runs is about to add to its tokens. What this returns is added
  /// in its place; the memory of both may be written to afterwards.
  virtual at::Tensor branch(BlockBranch /*part*/, const at::Tensor& added) { return added; }
};

/// What goes on from a layer's heads: `outputs` themselves where there is no tap.
inline at::Tensor throughHook(AttentionHook* tap, const at::Tensor& outputs) {
  return tap ? tap->heads(outputs) : outputs;
}
/// The same for what a block adds.
inline at::Tensor throughHook(AttentionHook* tap, BlockBranch part, const at::Tensor& added) {
  return tap ? tap->branch(part, added) : added;
}

/// Keeps the maps of every layer it is asked about.
class CollectingHook : public AttentionHook {
 public:
  explicit CollectingHook(std::function<bool(int)> wanted = [](int) { return true; })
      : m_wanted(std::move(wanted)) {}
  bool wants(int layer) const override { return m_wanted(layer); }
  void take(int layer, const at::Tensor& map) override { maps[layer] = map; }

  std::map<int, at::Tensor> maps;  ///< by layer

 private:
  std::function<bool(int)> m_wanted;
};

}  // namespace headlight
