// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/session/InferenceHook.h"

#include <ATen/ATen.h>

namespace headlight {

namespace {

double bytesOfMap(const Model& model, int layer, const Grid& grid) {
  const double tokens = grid.tokens();
  return sizeof(float) * model.heads(layer) * tokens * tokens;
}

}  // namespace

double mapBytes(const Model& model) {
  double bytes = 0;
  for (int l = 0; l < model.layers(); ++l)
    bytes += bytesOfMap(model, l, model.grid(l));
  return bytes;
}

double mapBytes(const Model& model, const at::Tensor& tokens) {
  double bytes = 0;
  for (int l = 0; l < model.layers(); ++l)
    bytes += bytesOfMap(model, l, model.gridOf(l, tokens));
  return bytes;
}

void InferenceHook::take(int /*layer*/, const at::Tensor& map) {
  const at::Tensor host = map[0].to(at::kCPU, at::kFloat).contiguous();
  const float* begin = host.data_ptr<float>();
  maps = {static_cast<int>(host.size(0)), m_grid,
          std::make_shared<const std::vector<float>>(begin, begin + host.numel())};
  locality = localityScores(maps);
}

void InferenceHook::keep(int /*layer*/, std::shared_ptr<const MapRows> rows) {
  maps.rows = std::move(rows);
  maps.values = nullptr;
}

}  // namespace headlight
