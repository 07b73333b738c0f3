// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/sequences/SequenceMaps.h"

#include <ATen/Functions.h>

#include <algorithm>

#include "core/checkpoint/Checkpoint.h"
#include "core/imaging/drawing/Figure.h"

namespace headlight {
namespace {

/// For one head: each row divided by its greatest value.
std::vector<float> scaledRows(const SequenceMaps& maps, int head) {
  const auto length = static_cast<std::ptrdiff_t>(maps.length);
  std::vector<float> values(maps.head(head), maps.head(head) + length * length);
  for (auto row = values.begin(); row != values.end(); row += length) {
    const float most = *std::max_element(row, row + length);
    if (most > 0) std::for_each(row, row + length, [most](float& value) { value /= most; });
  }
  return values;
}

Image mapImage(const SequenceMaps& maps, int head, ColorMap colors, int side) {
  const int length = static_cast<int>(maps.length);
  return heatmap(scaledRows(maps, head), length, length, {0, 1}, colors, side, side,
                 /*smooth=*/false);
}

}  // namespace

Image sequenceMapImage(const SequenceMaps& maps, int head, ColorMap colors) {
  return mapImage(maps, head, colors, static_cast<int>(maps.length));
}

Image sequenceFilterImage(const SequenceMaps& maps, int side) {
  return heatmap(*maps.filter, maps.heads, static_cast<int>(maps.taps),
                 valueRange(*maps.filter, /*aboutZero=*/true), ColorMap::Diverging, side, side,
                 /*smooth=*/false);
}

std::string sequenceFilterMeaning() {
  return "Filters: exp(w) - 1, a row for each head, from the top; columns, from the left: the "
         "newest "
         "byte seen, then those before it. The same for every input. Colors are about 0, where a "
         "byte counts by its key alone.";
}

std::string sequenceMapScale() {
  return "Rows, from the top: the position that predicts each byte. Columns, from the left: the "
         "start, then the bytes before it. Every row is scaled to its maximum.";
}

Image sequenceMapsFigure(const SequenceMaps& maps, const std::string& title, ColorMap colors,
                         int side) {
  constexpr int kMostColumns = 4;
  FigureGrid grid;
  grid.title = title;
  grid.footnote = maps.meaning + " " + sequenceMapScale();
  if (maps.taps > 0) grid.footnote += " " + sequenceFilterMeaning();
  grid.columns = std::min(maps.heads + (maps.taps > 0), kMostColumns);
  grid.colorMap = colors;
  for (int head = 0; head < maps.heads; ++head)
    grid.tiles.push_back(
        {mapImage(maps, head, colors, std::clamp(side, 16, 4096)),
         maps.heads > 1 || maps.taps > 0 ? "head " + std::to_string(head) : "all features"});
  if (maps.taps > 0)
    grid.tiles.push_back({sequenceFilterImage(maps, std::clamp(side, 16, 4096)), "filters"});
  return composeFigure(grid);
}

Result<void> writeSequenceMaps(const std::filesystem::path& path,
                               const std::vector<SequenceMaps>& layers) {
  return guarded(path.string(), [&]() -> Result<void> {
    NamedTensors tensors;
    const auto add = [&](const std::string& name, const std::vector<float>& values,
                         at::IntArrayRef shape) {
      tensors.emplace_back(name,
                           at::from_blob(const_cast<float*>(values.data()), shape, at::kFloat));
    };
    for (const SequenceMaps& maps : layers) {
      const std::string layer = std::to_string(maps.layer);
      add("attention." + layer, *maps.values, {maps.heads, maps.length, maps.length});
      if (maps.taps > 0) add("filter." + layer, *maps.filter, {maps.heads, maps.taps});
    }
    return writeSafetensors(path, tensors, {{"format", "pt"}});
  });
}

}  // namespace headlight
