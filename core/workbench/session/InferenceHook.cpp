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
  m_map = map[0].to(at::kCPU, at::kFloat).contiguous();
  locality.clear();
  const std::int64_t each = m_map[0].numel();
  for (std::int64_t h = 0; h < m_map.size(0); ++h)
    locality.push_back(localityScore(m_map.data_ptr<float>() + h * each, m_grid));
}

void InferenceHook::keep(int /*layer*/, std::shared_ptr<const MapRows> rows) {
  m_rows = std::move(rows);
}

LayerMaps InferenceHook::maps() const {
  if (!m_map.defined()) return {};
  LayerMaps maps{static_cast<int>(m_map.size(0)), m_grid, nullptr, nullptr, m_rows};
  const float* begin = m_map.data_ptr<float>();
  if (!m_rows)
    maps.values = std::make_shared<const std::vector<float>>(begin, begin + m_map.numel());
  return maps;
}

}  // namespace headlight
