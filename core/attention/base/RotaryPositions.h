// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Rotary position embeddings on a grid (Su et al. 2021, along rows and columns): pairs of features
// of queries and keys are turned by angles that grow with the patch's place. Prefix tokens stay.

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <string>
#include <vector>

#include "core/attention/base/UndecayedParameters.h"
#include "core/masks/Grid.h"

namespace headlight {

struct RotaryOptions {
  /// "axial" (EVA-02, Fang et al. 2023): angle = place · T^(−i/(d/4)), i of the d/4 bands of each
  /// side, rows first; neighbors 2i, 2i + 1 turn together. "mixed" (Heo et al. 2024, RoPE-ViT):
  /// angle = column · f[0, h, i] + row · f[1, h, i], f learned of every head. "dinov3" (Siméoni et
  /// al. 2025): place in (−1, 1), angle = 2π · place / T^(4i/d); features i and i + d/2 turn
  /// together.
  std::string kind = "none";
  double temperature = 10000;
  /// Rows and columns of the grid it was trained on, onto which places are scaled (axial); empty:
  /// its own.
  std::vector<int> reference;
  double offset = 0;          ///< of the first place (axial); 1 in Perception Encoders
  bool columnsFirst = false;  ///< bands of columns before those of rows (axial)
};

/// The learned frequencies of "mixed", of all layers: timm's rope.freqs [2, L, H, d/2].
class RotaryFrequencies : public torch::nn::Module, public UndecayedParameters {
 public:
  RotaryFrequencies(int layers, int heads, int headWidth, double temperature);
  /// [2, H, d/2].
  at::Tensor ofLayer(int layer) const { return m_frequencies.select(1, layer); }
  /// Each head's axes turned by an angle of its own, bands T^(−4i/d).
  void initialize();

 private:
  double m_temperature;
  at::Tensor m_frequencies;
};

class RotaryPositions {
 public:
  /// Throws Failure(InvalidConfig) for a head width that is no multiple of 4.
  RotaryPositions(const RotaryOptions& options, const Grid& grid, int headWidth);
  /// For a "mixed" one, before every pass: `frequencies` [2, H, d/2].
  void turnBy(const at::Tensor& frequencies);
  /// After it: what was made for that pass, its graph with it, must not outlive it.
  void letGo() { m_sine = m_cosine = at::Tensor(); }
  /// [B, H, T, d] → the same, patches turned.
  at::Tensor turned(const at::Tensor& x);

 private:
  void setAngles(const at::Tensor& angles);
  at::Tensor partners(const at::Tensor& x) const;

  bool m_halves;
  Grid m_grid;
  at::Tensor m_sine, m_cosine;  ///< [N, d], or of every head [H, N, d]
};

}  // namespace headlight
