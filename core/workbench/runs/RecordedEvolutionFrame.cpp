// SPDX-License-Identifier: GPL-3.0-or-later

// RecordedEvolution.h: one point, decoded.

#include <c10/util/Half.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "core/base/FreeMemory.h"
#include "core/base/Translation.h"
#include "core/workbench/runs/RecordedEvolution.h"
#include "core/workbench/session/MapRendering.h"

namespace headlight {
namespace {

RecordedTensor decodedTensor(EvolutionTensor tensor) {
  RecordedTensor result{std::move(tensor.name), std::move(tensor.shape), {}};
  for (const std::uint16_t half : tensor.halves)
    result.values.push_back(static_cast<float>(c10::Half(half, c10::Half::from_bits())));
  return result;
}

/// The row of a layer's maps that `query` of the model is; negative: it was not kept.
std::ptrdiff_t keptRow(const EvolutionInfo& info, const EvolutionLayer& layer, int query) {
  const int own = query == kMeanOfPatches ? query : queryInLayer(query, info.grid, layer.grid);
  if (own < 0 && query != kMeanOfPatches) return -1;  // a token that joins later
  const auto found = std::find(layer.queries.begin(), layer.queries.end(), own);
  return found == layer.queries.end() ? -1 : found - layer.queries.begin();
}

std::string keptText(const EvolutionInfo& info) {
  constexpr std::size_t kNamed = 20;
  std::string text;
  for (std::size_t i = 0; i < info.queries.size() && i < kNamed; ++i)
    text.append(text.empty() ? "" : ", ").append(recordedQueryText(info.queries[i], info.grid));
  return info.queries.size() > kNamed ? text + ", …" : text;
}

/// What the maps of a layer take; nothing where none of its rows were kept.
std::uint64_t valuesOf(const EvolutionLayer& layer) {
  const auto tokens = static_cast<std::uint64_t>(layer.grid.tokens());
  return layer.queries.empty() ? 0 : static_cast<std::uint64_t>(layer.heads) * tokens * tokens;
}

/// A run keeps the rows of nine patches or more, of at most 4096 tokens: with all other rows that
/// is at most 456 times as much. A file that claims more is not believed.
constexpr std::uint64_t kSmallMaps = 1u << 24, kMostTimesKept = 512, kUncountable = 1ull << 60;

[[noreturn]] void refuseAsking(const std::string& what) {
  throw Failure({ErrorCode::InvalidArgument, what, kEvolutionFile});
}

}  // namespace

std::string recordedQueryText(int query, const Grid& grid) {
  return query == kMeanOfPatches ? "mean of all patches" : tokenText(query, grid);
}

EvolutionFrame EvolutionFrame::from(EvolutionPoint point, EvolutionMoment moment,
                                    std::shared_ptr<const EvolutionInfo> info) {
  EvolutionFrame frame;
  frame.m_info = std::move(info);
  frame.m_moment = std::move(moment);
  frame.m_maps = std::move(point.maps);
  frame.m_rollout = std::move(point.rollout);
  for (EvolutionTensor& tensor : point.tensors)
    frame.m_tensors.push_back(decodedTensor(std::move(tensor)));
  return frame;
}

Result<std::vector<float>> EvolutionFrame::seen(int image, int layer, int head, int query) const {
  return guarded(kEvolutionFile, [&] {
    const EvolutionInfo& info = *m_info;
    if (image < 0 || static_cast<std::size_t>(image) >= info.images.size())
      refuseAsking("keeps " + std::to_string(info.images.size()) + tr(" images, counted from 0"));
    if (layer < 0 || static_cast<std::size_t>(layer) >= info.layers.size())
      refuseAsking("has " + std::to_string(info.layers.size()) + tr(" layers, counted from 0"));
    const EvolutionLayer& kept = info.layers[static_cast<std::size_t>(layer)];
    if (head < 0 || head >= kept.heads)
      refuseAsking("keeps " + std::to_string(kept.heads) + tr(" heads of layer ") +
                   std::to_string(layer) + tr(", counted from 0"));
    const std::ptrdiff_t row = keptRow(info, kept, query);
    if (row < 0)
      refuseAsking(tr("does not record the attention of the ") +
                   recordedQueryText(query, info.grid) + tr(" in layer ") + std::to_string(layer) +
                   tr("; it records ") + keptText(info));
    const auto tokens = static_cast<std::size_t>(kept.grid.tokens());
    const std::size_t rows = kept.queries.size();
    const std::size_t index =
        (static_cast<std::size_t>(image) * static_cast<std::size_t>(kept.heads) +
         static_cast<std::size_t>(head)) *
            rows +
        static_cast<std::size_t>(row);
    const std::vector<float> values =
        rowValues(m_maps[static_cast<std::size_t>(layer)], index, tokens, info.mapIsSigned);
    return std::vector<float>(values.begin() + kept.grid.prefix, values.end());
  });
}

std::vector<float> EvolutionFrame::rollout(int image) const {
  if (image < 0 || static_cast<std::size_t>(image) >= m_rollout.scales.size()) return {};
  const auto patches = static_cast<std::size_t>(m_info->layers.front().grid.patches());
  return rowValues(m_rollout, static_cast<std::size_t>(image), patches, /*isSigned=*/false);
}

Result<void> EvolutionFrame::mapsCanBeHeld() const {
  return guarded(kEvolutionFile, [&] {
    std::uint64_t values = 0, kept = 0;
    for (const EvolutionLayer& layer : m_info->layers)
      values = std::min(values + valuesOf(layer), kUncountable);
    for (const QuantizedRows& rows : m_maps)
      kept += rows.codes.size();
    const auto bytes = static_cast<std::int64_t>(values * sizeof(float));
    if (values > kSmallMaps + kMostTimesKept * kept)
      throw Failure({ErrorCode::InvalidFile,
                     tr("claims maps of ") + bytesText(bytes) + tr(", but contains ") +
                         bytesText(static_cast<std::int64_t>(kept)) +
                         tr("; the file is damaged, move it away"),
                     kEvolutionFile});
    requireMemory(bytes, "the maps of step " + std::to_string(m_moment.step));
  });
}

AttentionMaps EvolutionFrame::maps(int image) const {
  AttentionMaps maps;
  const bool held = mapsCanBeHeld().ok();
  maps.meaning = m_info->mapMeaning;
  maps.isSigned = m_info->mapIsSigned;
  for (std::size_t l = 0; l < m_info->layers.size(); ++l) {
    const EvolutionLayer& kept = m_info->layers[l];
    LayerMaps& layer = maps.layers.emplace_back();
    layer.grid = kept.grid;
    const bool known = image >= 0 && static_cast<std::size_t>(image) < m_info->images.size();
    if (valuesOf(kept) == 0 || !known || !held) continue;
    const auto tokens = static_cast<std::size_t>(kept.grid.tokens());
    const std::size_t rows = kept.queries.size(), heads = static_cast<std::size_t>(kept.heads);
    std::vector<float> values(heads * tokens * tokens, std::numeric_limits<float>::quiet_NaN());
    for (std::size_t h = 0; h < heads; ++h)
      for (std::size_t r = 0; r < rows; ++r) {
        if (kept.queries[r] == kMeanOfPatches) continue;
        const auto row =
            rowValues(m_maps[l], (static_cast<std::size_t>(image) * heads + h) * rows + r, tokens,
                      m_info->mapIsSigned);
        std::copy(row.begin(), row.end(),
                  values.begin() +
                      static_cast<std::ptrdiff_t>(
                          (h * tokens + static_cast<std::size_t>(kept.queries[r])) * tokens));
      }
    layer.heads = kept.heads;
    layer.values = std::make_shared<const std::vector<float>>(std::move(values));
  }
  return maps;
}

}  // namespace headlight
