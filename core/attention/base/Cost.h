// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Parameters and multiply-accumulates, counted from a config alone. No torch type: the window and
// the command line show them.

#include <cstdint>
#include <string>
#include <vector>

#include "core/masks/Grid.h"

namespace headlight {

struct LayerCost {
  std::string name;  ///< "blocks.0.attn.qkv"
  std::int64_t parameters = 0;
  std::int64_t macs = 0;  ///< multiply-accumulates for one image
  // For products of masked heads in linear time; else 0 and unused.
  std::int64_t headWidth = 0;
  Grid grid = {};
  int layer = 0;
};

struct ModelCost {
  std::int64_t parameters = 0;
  std::int64_t macs = 0;
  std::vector<LayerCost> layers;
  /// What is easily overlooked about a model's layers (Attention::notice), each sentence once.
  std::vector<std::string> notices;
};

/// Adds up a ModelCost. Norms, softmax, biases and activations count as no multiply-accumulates, as
/// papers do.
class CostCounter {
 public:
  /// Names that follow begin with `prefix`.
  void enter(std::string prefix) { m_prefix = std::move(prefix); }
  /// A matrix [out, in] with or without bias, applied to `rows` tokens.
  void linear(const std::string& name, std::int64_t in, std::int64_t out, bool bias,
              std::int64_t rows);
  /// A k × k convolution in `groups`, giving `positions` outputs a channel.
  void convolution(const std::string& name, std::int64_t in, std::int64_t out, std::int64_t kernel,
                   std::int64_t groups, bool bias, std::int64_t positions);
  /// QKᵀ and AV of the heads of a layer, each over all tokens of `grid`, which the kernels compute
  /// in linear time for hard, strict and random heads.
  void products(const std::string& name, int layer, const Grid& grid, std::int64_t heads,
                std::int64_t headWidth);
  void parameters(const std::string& name, std::int64_t count) { add({name, count, 0}); }
  void macs(const std::string& name, std::int64_t count) { add({name, 0, count}); }
  /// Weights that take `macs` to apply.
  void weights(const std::string& name, std::int64_t count, std::int64_t macs) {
    add({name, count, macs});
  }
  /// Empty, or one that is there already: nothing.
  void notice(const std::string& text);
  const ModelCost& cost() const { return m_cost; }

 private:
  void add(LayerCost layer);

  std::string m_prefix;
  ModelCost m_cost;
};

}  // namespace headlight
