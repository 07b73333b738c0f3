// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/session/InferenceHook.h"

#include <ATen/ATen.h>

namespace headlight {

double mapBytes(const Model& model) {
  double bytes = 0;
  for (int l = 0; l < model.layers(); ++l) {
    const double tokens = model.grid(l).tokens();
    bytes += sizeof(float) * model.heads(l) * tokens * tokens;
  }
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
