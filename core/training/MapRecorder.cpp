// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/MapRecorder.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <string_view>

#include "core/analysis/Rollout.h"

namespace headlight {
namespace {

constexpr int kTopClasses = 5;
/// What mechanisms learn of pairs of tokens: IBiT's masks, LSLA's and AFT's biases.
constexpr std::array<std::string_view, 10> kRecordedTensors = {
    "learned_mask_a", "learned_mask_b", "dynamic_scale", "inner_bias_table", "outer_bias_table",
    "position_u",     "position_v",     "position_bias", "position_gain",    "position_shift"};

bool isRecorded(const std::string& name) {
  const std::string_view last = std::string_view(name).substr(name.rfind('.') + 1);
  return std::find(kRecordedTensors.begin(), kRecordedTensors.end(), last) !=
         kRecordedTensors.end();
}

std::int64_t mapValues(const Model& model) {
  std::int64_t values = 0;
  for (int layer = 0; layer < model.layers(); ++layer) {
    const std::int64_t tokens = model.grid(layer).tokens();
    values += model.heads(layer) * tokens * tokens;
  }
  return values;
}

/// On which queries are counted: the first layer's, with prefix tokens that join later.
Grid queryGrid(const Model& model) {
  Grid grid = model.grid(0);
  for (int layer = 1; layer < model.layers(); ++layer)
    grid.prefix = std::max(grid.prefix, model.grid(layer).prefix);
  return grid;
}

std::vector<int> chosenTokens(const Model& model) {
  const Grid grid = queryGrid(model);
  std::vector<int> tokens;
  if (mapValues(model) <= kWholeMapValues) {
    for (int token = 0; token < grid.tokens(); ++token)
      tokens.push_back(token);
    return tokens;
  }
  if (grid.hasClassToken()) tokens.push_back(0);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      tokens.push_back(grid.prefix + (2 * i + 1) * grid.rows / 6 * grid.cols +
                       (2 * j + 1) * grid.cols / 6);
  return tokens;
}

/// [B, H, R, T]: the rows of `queries`.
at::Tensor chosenRows(const at::Tensor& map, const std::vector<int>& queries, const Grid& grid) {
  std::vector<at::Tensor> rows;
  std::vector<std::int64_t> tokens;
  for (const int query : queries)
    if (query != kMeanOfPatches) tokens.push_back(query);
  if (tokens.size() < queries.size())  // it comes first
    rows.push_back(map.narrow(2, grid.prefix, grid.patches()).mean(2, /*keepdim=*/true));
  if (!tokens.empty())
    rows.push_back(map.index_select(2, at::tensor(tokens, at::kLong).to(map.device())));
  return at::cat(rows, 2);
}

/// Codes and scales of rows, by the last dimension (EvolutionTypes.h).
std::pair<at::Tensor, at::Tensor> quantized(const at::Tensor& rows, bool isSigned) {
  const at::Tensor finite = at::isfinite(rows).all(-1);
  const at::Tensor plain = at::nan_to_num(rows, 0, 0, 0);
  const at::Tensor greatest = plain.abs().amax(-1);
  const at::Tensor divisor = at::where(greatest > 0, greatest, at::ones_like(greatest));
  const at::Tensor parts = plain / divisor.unsqueeze(-1);
  const at::Tensor codes =
      isSigned ? (parts * 127 + 128).round().clamp(1, 255) : (parts * 255).round().clamp(0, 255);
  const double none = std::numeric_limits<double>::quiet_NaN();
  return {codes.to(at::kByte), at::where(finite, greatest, at::full_like(greatest, none))};
}

/// [B, T, T]: heads as a rollout takes them, at least 0 and with rows that sum to 1, as their mean.
at::Tensor fusedHeads(const at::Tensor& map) {
  const at::Tensor positive = map.clamp_min(0);
  const at::Tensor sums = positive.sum(-1, /*keepdim=*/true);
  return (positive / at::where(sums > 0, sums, at::ones_like(sums))).mean(1);
}

void appendTo(QuantizedRows& rows, const at::Tensor& codes, const at::Tensor& scales) {
  const at::Tensor plainCodes = codes.to(at::kCPU).contiguous();
  const at::Tensor plainScales = scales.to(at::kCPU, at::kFloat).contiguous();
  const std::uint8_t* bytes = plainCodes.data_ptr<std::uint8_t>();
  const float* numbers = plainScales.data_ptr<float>();
  rows.codes.insert(rows.codes.end(), bytes, bytes + plainCodes.numel());
  rows.scales.insert(rows.scales.end(), numbers, numbers + plainScales.numel());
}

/// [B] of the likeliest classes, with what each is given.
std::vector<std::vector<std::pair<int, float>>> likeliest(const at::Tensor& logits) {
  const std::int64_t count = std::min<std::int64_t>(kTopClasses, logits.size(1));
  const auto [values, classes] = at::softmax(logits, 1).topk(count, 1);
  const at::Tensor shares = values.to(at::kCPU, at::kFloat).contiguous();
  const at::Tensor indices = classes.to(at::kCPU).contiguous();
  std::vector<std::vector<std::pair<int, float>>> all;
  for (std::int64_t image = 0; image < shares.size(0); ++image) {
    all.emplace_back();
    for (std::int64_t i = image * count; i < (image + 1) * count; ++i)
      all.back().emplace_back(static_cast<int>(indices.data_ptr<std::int64_t>()[i]),
                              shares.data_ptr<float>()[i]);
  }
  return all;
}

}  // namespace

std::vector<int> recordedQueries(const Model& model, int layer) {
  const Grid grid = model.grid(layer);
  std::vector<int> queries;
  if (!grid.hasClassToken()) queries.push_back(kMeanOfPatches);
  for (const int token : chosenTokens(model)) {
    const int own = queryInLayer(token, queryGrid(model), grid);
    if (own >= 0 && std::find(queries.begin(), queries.end(), own) == queries.end())
      queries.push_back(own);
  }
  return queries;
}

void MapRecorder::beginPass(std::int64_t images) {
  m_inPass = std::min(images, missing());
  m_passed += m_inPass;
}

void MapRecorder::take(int layer, const at::Tensor& map) {
  if (m_inPass == 0 || m_problem) return;
  if (const auto kept = guarded("maps", [&] { keep(layer, map); }); !kept) m_problem = kept.error();
}

void MapRecorder::keep(int layer, const at::Tensor& map) {
  const Grid grid = m_model.grid(layer);
  if (map.dim() != 4 || map.size(2) != grid.tokens() || map.size(3) != grid.tokens()) return;
  m_layers.resize(static_cast<std::size_t>(m_model.layers()));
  Layer& kept = m_layers[static_cast<std::size_t>(layer)];
  kept.heads = static_cast<int>(map.size(1));
  const at::Tensor maps = map.narrow(0, 0, m_inPass).to(at::kFloat);
  auto [codes, scales] =
      quantized(chosenRows(maps, recordedQueries(m_model, layer), grid), m_model.mapIsSigned());
  kept.codes.push_back(std::move(codes));
  kept.scales.push_back(std::move(scales));
  if (keepsRollout()) kept.fused.push_back(fusedHeads(maps).to(at::kCPU));
}

void MapRecorder::predict(const at::Tensor& logits) {
  if (m_inPass > 0) m_logits.push_back(logits.narrow(0, 0, m_inPass));
}

bool MapRecorder::keepsRollout() const {
  std::int64_t bytes = 0;
  for (int layer = 0; layer < m_model.layers(); ++layer) {
    const std::int64_t tokens = m_model.grid(layer).tokens();
    bytes += m_images * tokens * tokens * 4;
  }
  return bytes <= kMostRolloutBytes;
}

std::vector<EvolutionLayer> MapRecorder::layers() const {
  std::vector<EvolutionLayer> layers;
  for (int l = 0; l < m_model.layers(); ++l) {
    const auto layer = static_cast<std::size_t>(l);
    const bool kept = layer < m_layers.size() && !m_layers[layer].codes.empty();
    layers.push_back({kept ? m_layers[layer].heads : 0, m_model.grid(l),
                      kept ? recordedQueries(m_model, l) : std::vector<int>()});
  }
  return layers;
}

/// By the same steps as everywhere, over maps whose heads are fused already. None where a layer has
/// no map, or the grid grows.
QuantizedRows MapRecorder::rolloutRows() const {
  std::vector<at::Tensor> rows;
  for (std::size_t pass = 0; pass < m_logits.size(); ++pass)
    for (std::int64_t image = 0; image < m_logits[pass].size(0); ++image) {
      AttentionMaps maps;
      for (std::size_t l = 0; l < m_layers.size(); ++l) {
        if (pass >= m_layers[l].fused.size()) return {};
        const at::Tensor map = m_layers[l].fused[pass][image].contiguous();
        const float* values = map.data_ptr<float>();
        maps.layers.push_back(
            {1, m_model.grid(static_cast<int>(l)),
             std::make_shared<const std::vector<float>>(values, values + map.numel())});
      }
      const auto rolled = rollout(maps, {});
      if (!rolled) return {};
      rows.push_back(at::tensor(at::ArrayRef<float>(*rolled)));
    }
  QuantizedRows kept;
  if (rows.empty()) return kept;
  const auto [codes, scales] = quantized(at::stack(rows), /*isSigned=*/false);
  appendTo(kept, codes, scales);
  return kept;
}

std::vector<EvolutionTensor> MapRecorder::learnedTensors() const {
  std::vector<EvolutionTensor> tensors;
  for (const auto& [name, tensor] : m_model.state()) {
    if (!isRecorded(name)) continue;
    const at::Tensor halves = tensor.detach().to(at::kCPU, at::kHalf).contiguous();
    EvolutionTensor& kept = tensors.emplace_back();
    kept.name = name;
    kept.shape = halves.sizes().vec();
    const at::Half* values = halves.data_ptr<at::Half>();
    for (std::int64_t i = 0; i < halves.numel(); ++i)
      kept.halves.push_back(values[i].x);
  }
  return tensors;
}

EvolutionPoint MapRecorder::point() const {
  if (m_problem) throw Failure(*m_problem);
  EvolutionPoint point;
  for (int l = 0; l < m_model.layers(); ++l) {
    QuantizedRows& rows = point.maps.emplace_back();
    if (static_cast<std::size_t>(l) >= m_layers.size()) continue;
    const Layer& layer = m_layers[static_cast<std::size_t>(l)];
    for (std::size_t pass = 0; pass < layer.codes.size(); ++pass)
      appendTo(rows, layer.codes[pass], layer.scales[pass]);
  }
  for (const at::Tensor& logits : m_logits)
    for (auto& top : likeliest(logits))
      point.top.push_back(std::move(top));
  point.rollout = rolloutRows();
  point.tensors = learnedTensors();
  return point;
}

}  // namespace headlight
