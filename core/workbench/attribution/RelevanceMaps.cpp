// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/attribution/RelevanceMaps.h"

#include <ATen/ATen.h>

#include "core/analysis/Rollout.h"

namespace headlight {
namespace {

using Row = std::vector<double>;

/// The row of the identity that is followed: the class token's, or the mean of the patches'.
Row startingRow(const Grid& grid, bool ofClassToken) {
  Row row(grid.tokens(), 0.0);
  if (ofClassToken)
    row[0] = 1;
  else
    std::fill(row.begin() + grid.prefix, row.end(), 1.0 / grid.patches());
  return row;
}

/// row · factor.
Row through(const Row& row, const at::Tensor& factor) {
  const auto tokens = static_cast<std::size_t>(factor.size(0));
  const float* values = factor.data_ptr<float>();
  Row result(tokens, 0.0);
  for (std::size_t i = 0; i < tokens; ++i)
    for (std::size_t j = 0; j < tokens && row[i] != 0; ++j)
      result[j] += row[i] * values[i * tokens + j];
  return result;
}

void addTo(Row& row, const Row& more) {
  for (std::size_t i = 0; i < row.size(); ++i)
    row[i] += more[i];
}

std::vector<float> patchesOf(const Row& row, const Grid& grid) {
  return {row.begin() + grid.prefix, row.end()};
}

/// Goes back until the next block is `layer`.
void goBackTo(ClassGradient& gradient, int layer, const std::function<void()>& step) {
  while (gradient.nextBlock() > layer) {
    gradient.stepBack(/*withMap=*/false);
    step();
  }
}

/// Where the `tokens` that enter the attention of `layer` lie: on its grid, or, where that pools
/// its queries, on the one before.
Grid gridEntering(const Model& model, int layer, std::int64_t tokens) {
  for (int l = layer; l >= 0; --l)
    if (model.grid(l).tokens() == tokens) return model.grid(l);
  throw Failure({ErrorCode::InvalidArgument,
                 "the tokens that enter layer " + std::to_string(layer) + " lie on no grid",
                 "grad-cam"});
}

}  // namespace

HeatOnPatches classRelevance(Model& model, const KeptPass& pass, int classIndex,
                             const std::function<void()>& step) {
  ClassGradient gradient(model, pass, classIndex);
  HeatOnPatches heat;
  heat.grid = model.grid(model.layers() - 1);
  heat.ofClassToken = gradient.readsClassToken();
  Row row = startingRow(heat.grid, heat.ofClassToken);
  while (gradient.nextBlock() >= 0) {
    const Grid grid = model.grid(gradient.nextBlock());
    row = carriedBack(row, heat.grid, grid);
    heat.grid = grid;
    const BlockGradient block = gradient.stepBack(/*withMap=*/true);
    addTo(row, through(row, relevanceFactor(block)));
    heat.note = block.map.note;
    step();
  }
  heat.values = patchesOf(row, heat.grid);
  return heat;
}

HeatOnPatches attentionTimesGradient(Model& model, const KeptPass& pass, int classIndex, int layer,
                                     const std::function<void()>& step) {
  ClassGradient gradient(model, pass, classIndex);
  HeatOnPatches heat;
  heat.grid = model.grid(layer);
  // A class token that joins later has no row yet.
  heat.ofClassToken = gradient.readsClassToken() && heat.grid.prefix > 0;
  goBackTo(gradient, layer, step);
  const BlockGradient block = gradient.stepBack(/*withMap=*/true);
  step();
  heat.note = block.map.note;
  heat.values = patchesOf(
      through(startingRow(heat.grid, heat.ofClassToken), relevanceFactor(block)), heat.grid);
  return heat;
}

HeatOnPatches gradCam(Model& model, const KeptPass& pass, int classIndex, int layer,
                      const std::function<void()>& step) {
  ClassGradient gradient(model, pass, classIndex);
  goBackTo(gradient, layer, step);
  const BlockGradient block = gradient.stepBack(/*withMap=*/false);
  step();
  if (!block.entering.defined())
    throw Failure({ErrorCode::InvalidArgument,
                   "this backbone does not show what enters its attention", "grad-cam"});
  HeatOnPatches heat;
  heat.grid = gridEntering(model, layer, block.entering.size(1));
  const at::NoGradGuard noGrad;
  const at::Tensor features = block.entering.detach()[0].slice(0, heat.grid.prefix);
  const at::Tensor slopes = block.ofEntering.defined()
                                ? block.ofEntering[0].slice(0, heat.grid.prefix)
                                : at::zeros_like(features);
  const at::Tensor sums = (features.to(at::kDouble).matmul(slopes.to(at::kDouble).mean(0)))
                              .clamp_min(0)
                              .to(at::kCPU, at::kFloat)
                              .contiguous();
  heat.values.assign(sums.data_ptr<float>(), sums.data_ptr<float>() + sums.numel());
  return heat;
}

}  // namespace headlight
