// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What an inference result keeps of a layer: its maps, or how to make their rows again.
// Torch types: core only.

#include <memory>

#include "core/analysis/AttentionMaps.h"
#include "core/models/backbones/Model.h"

namespace headlight {

/// What the maps of all layers may take together, in bytes, before they are no longer kept.
inline constexpr double kMostMapBytes = 200e6;

/// What those of one image take: of the model's own size, or of `tokens`, which enter its first
/// block.
double mapBytes(const Model& model);
double mapBytes(const Model& model, const at::Tensor& tokens);

/// Takes the map of one layer, the first image's. With `byRows`, rows that are made again stand
/// in its place, where the mechanism can make them.
class InferenceHook : public AttentionHook {
 public:
  InferenceHook(const Grid& grid, bool byRows) : m_grid(grid), m_byRows(byRows) {}
  bool wants(int /*layer*/) const override { return true; }
  bool wantsRows(int /*layer*/) const override { return m_byRows; }
  void take(int layer, const at::Tensor& map) override;
  void keep(int layer, std::shared_ptr<const MapRows> rows) override;

  LayerMaps maps() const;       ///< empty where nothing was taken
  std::vector<float> locality;  ///< localityScores() of them

 private:
  Grid m_grid;
  bool m_byRows;
  at::Tensor m_map;  ///< [H, T, T] of the first image; copied only where it is kept
  std::shared_ptr<const MapRows> m_rows;
};

}  // namespace headlight
