// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/base/Cost.h"

#include <algorithm>

namespace headlight {

void CostCounter::linear(const std::string& name, std::int64_t in, std::int64_t out, bool bias,
                         std::int64_t rows) {
  add({name, in * out + (bias ? out : 0), in * out * rows});
}

void CostCounter::convolution(const std::string& name, std::int64_t in, std::int64_t out,
                              std::int64_t kernel, std::int64_t groups, bool bias,
                              std::int64_t positions) {
  const std::int64_t weights = in / groups * out * kernel * kernel;
  add({name, weights + (bias ? out : 0), weights * positions});
}

void CostCounter::products(const std::string& name, int layer, const Grid& grid, std::int64_t heads,
                           std::int64_t headWidth) {
  const std::int64_t tokens = grid.tokens();
  add({name, 0, 2 * tokens * tokens * heads * headWidth, headWidth, grid, layer});
}

void CostCounter::notice(const std::string& text) {
  auto& known = m_cost.notices;
  if (!text.empty() && std::find(known.begin(), known.end(), text) == known.end())
    known.push_back(text);
}

void CostCounter::add(LayerCost layer) {
  layer.name = m_prefix + layer.name;
  m_cost.parameters += layer.parameters;
  m_cost.macs += layer.macs;
  m_cost.layers.push_back(std::move(layer));
}

}  // namespace headlight
