#pragma once
// Rotary position embeddings on a grid (Su et al. 2021, along rows and columns): pairs of features
// of queries and keys are turned by angles that grow with the patch's place. Prefix tokens stay.

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "core/masks/Grid.h"

namespace headlight {

struct RotaryOptions {
  /// "axial" (EVA-02, Fang et al. 2023): angle = place · T^(−i/(d/4)), i of the d/4 bands of each
  /// side, rows first; neighbours 2i, 2i + 1 turn together. "dinov3" (Siméoni et al. 2025): place
  /// in (−1, 1), angle = 2π · place / T^(4i/d); features i and i + d/2 turn together.
  std::string kind = "none";
  double temperature = 10000;
  /// Rows and columns of the grid it was trained on, onto which places are scaled (axial); empty:
  /// its own.
  std::vector<int> reference;
};

class RotaryPositions {
 public:
  /// Throws Failure(InvalidConfig) for a head width that is no multiple of 4.
  RotaryPositions(const RotaryOptions& options, const Grid& grid, int headWidth);
  /// [B, H, T, d] → the same, patches turned.
  at::Tensor turned(const at::Tensor& x);

 private:
  at::Tensor partners(const at::Tensor& x) const;

  bool m_halves;
  int m_prefix;
  at::Tensor m_sine, m_cosine;  ///< [N, d]
};

}  // namespace headlight
