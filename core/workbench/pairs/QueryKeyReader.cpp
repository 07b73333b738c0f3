// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/pairs/QueryKeyReader.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "core/attention/base/QueryKeyCapture.h"
#include "core/base/Translation.h"

namespace headlight {
namespace {

[[noreturn]] void refuseQueryKeys(const std::string& where, const std::string& message) {
  throw Failure({ErrorCode::InvalidArgument, message, where});
}

at::Tensor exactOnHost(const at::Tensor& tensor) {
  return tensor.detach().to(at::kCPU, at::kDouble).contiguous();
}

/// The layer's grid, or the one that pooling by some stride makes of it.
Grid gridOfRows(const Grid& layer, std::int64_t count) {
  for (int stride = 1; stride <= std::max(layer.rows, layer.cols); ++stride) {
    Grid pooled = layer.strided(stride);
    if (pooled.tokens() == count) return pooled;
    pooled.prefix = pooled.registers = 0;
    if (pooled.patches() == count && count > 1) return pooled;
  }
  refuseQueryKeys("layer", tr("the queries or keys of this layer are not tokens of a grid (class "
                              "attention); choose another layer"));
}

/// Of the whole image: [1, H, T, d].
TokenRows imageRows(const Grid& layer, const at::Tensor& compared, int head) {
  TokenRows rows{gridOfRows(layer, compared.size(2)), exactOnHost(compared[0][head]), {}, {}};
  rows.tokens.resize(static_cast<std::size_t>(compared.size(2)));
  std::iota(rows.tokens.begin(), rows.tokens.end(), std::int64_t{0});
  rows.groups.assign(rows.tokens.size(), 0);
  return rows;
}

/// Of windows: [W, H, M, d], or [W, H, P + M, d] with P prefix tokens that every window has.
TokenRows windowRows(const Grid& layer, const at::Tensor& compared, int head,
                     const at::Tensor& places) {
  const at::Tensor own = exactOnHost(compared.select(1, head)), there = places.to(at::kCPU);
  const std::int64_t windows = own.size(0), before = own.size(1) - there.size(1);
  TokenRows rows{layer, {}, {}, {}};
  std::vector<at::Tensor> values;
  for (std::int64_t p = 0; p < before; ++p) {
    values.push_back(own[0][p]);
    rows.tokens.push_back(p);
    rows.groups.push_back(-1);
  }
  for (std::int64_t w = 0; w < windows; ++w)
    for (std::int64_t m = 0; m < there.size(1); ++m) {
      const auto token = there[w][m].item<std::int64_t>();
      if (token < 0) continue;  // padding
      values.push_back(own[w][before + m]);
      rows.tokens.push_back(token);
      rows.groups.push_back(w);
    }
  rows.values = at::stack(values);
  return rows;
}

bool fitWindows(const at::Tensor& compared, const at::Tensor& places, const Grid& layer) {
  const std::int64_t before = compared.size(2) - places.size(1);
  return compared.size(0) == places.size(0) && (before == 0 || before == layer.prefix);
}

TokenRows tokenRowsOf(const Grid& layer, const at::Tensor& compared, int head,
                      const at::Tensor& places) {
  if (places.defined() && fitWindows(compared, places, layer))
    return windowRows(layer, compared, head, places);
  if (compared.size(0) != 1)
    refuseQueryKeys("layer", tr("this layer compares tokens within groups whose places are not "
                                "known; choose another layer"));
  return imageRows(layer, compared, head);
}

void checkCompared(const QueryKeyCapture& compared, int head) {
  if (!compared.queries.defined())
    refuseQueryKeys("layer", tr("this mechanism does not compare queries with keys, like AFT"));
  const std::int64_t heads = std::min(compared.queries.size(1), compared.keys.size(1));
  if (head < 0 || head >= heads)
    refuseQueryKeys("head", tr("no head ") + std::to_string(head) + tr("; heads are 0 to ") +
                                std::to_string(heads - 1));
}

}  // namespace

TokenRows TokenRows::only(const std::vector<std::int64_t>& rows) const {
  TokenRows chosen{grid, {}, {}, {}};
  for (const std::int64_t row : rows) {
    chosen.tokens.push_back(tokens[static_cast<std::size_t>(row)]);
    chosen.groups.push_back(groups[static_cast<std::size_t>(row)]);
  }
  chosen.values = values.index_select(0, at::tensor(at::ArrayRef<std::int64_t>(rows), at::kLong));
  return chosen;
}

QueryKeyRows readQueryKeys(Model& model, const at::Tensor& image, int layer, int head) {
  at::Tensor tokens = model.embed(image);
  for (int l = 0; l < layer; ++l)
    tokens = model.block(l, tokens, nullptr);
  const Grid grid = model.gridOf(layer, tokens);
  QueryKeyHook watch;
  CollectingHook maps([layer](int l) { return l == layer; });
  model.block(layer, tokens, &maps);
  const QueryKeyCapture compared = watch.take();
  checkCompared(compared, head);
  const at::Tensor places = model.attention(layer).windowTokens();
  QueryKeyRows rows{tokenRowsOf(grid, compared.queries, head, places),
                    tokenRowsOf(grid, compared.keys, head, places),
                    {}};
  const auto map = maps.maps.find(layer);
  const bool whole = rows.queries.grid == grid && rows.keys.grid == grid;
  if (whole && map != maps.maps.end() && map->second.size(2) == grid.tokens())
    rows.weights =
        exactOnHost(map->second[0][std::min<std::int64_t>(head, map->second.size(1) - 1)]);
  return rows;
}

}  // namespace headlight
