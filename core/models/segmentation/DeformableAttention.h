// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Multi-scale deformable attention (Deformable DETR, Zhu et al. 2021, Eq. 3): a query looks at a
// few places of every level, which it chooses itself. Internal to core/models.

#include <torch/nn/modules/linear.h>

#include "core/attention/base/Cost.h"
#include "core/models/segmentation/SampledValues.h"

namespace headlight {

/// N: of all levels.
std::int64_t cellCount(const LevelGrids& grids);

/// [N, 2]: x and y of every cell's center as fractions of the image.
at::Tensor levelCenters(const LevelGrids& grids, const at::TensorOptions& options);

struct DeformableShape {
  int width = 256;
  int heads = 8;  ///< H
  int levels = 3;
  int points = 4;

  std::int64_t places() const { return std::int64_t{heads} * levels * points; }  ///< of a query
};

/// Every cell is a query and looks from its own center: offsets in cells of the level looked at, and
/// weights that are a softmax over all places of a head, are linear in the query. Names:
/// sampling_offsets, attention_weights, value_proj, output_proj.
class DeformableAttention : public torch::nn::Module {
 public:
  explicit DeformableAttention(const DeformableShape& shape);
  /// Reading a value counts 4 multiply-accumulates, weighing it 1.
  static void count(CostCounter& counter, const std::string& name, const DeformableShape& shape,
                    std::int64_t cells);

  /// Both [B, N, C]; `queries` with their positions. → [B, N, C].
  at::Tensor forward(const at::Tensor& queries, const at::Tensor& values, const LevelGrids& grids);
  /// Where each query looks, and how much.
  SampledPlaces placesOf(const at::Tensor& queries, const LevelGrids& grids);
  /// Queries start by looking alike: at 1 … P cells from their center, a direction a head, with
  /// equal weights. Projections start Xavier uniform.
  void initialize();

 private:
  DeformableShape m_shape;
  torch::nn::Linear m_offsets{nullptr}, m_weights{nullptr}, m_values{nullptr}, m_output{nullptr};
};

}  // namespace headlight
