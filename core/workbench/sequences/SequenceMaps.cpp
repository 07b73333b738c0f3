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
  grid.columns = std::min(maps.heads, kMostColumns);
  grid.colorMap = colors;
  for (int head = 0; head < maps.heads; ++head)
    grid.tiles.push_back({mapImage(maps, head, colors, std::clamp(side, 16, 4096)),
                          maps.heads > 1 ? "head " + std::to_string(head) : "all features"});
  return composeFigure(grid);
}

Result<void> writeSequenceMaps(const std::filesystem::path& path,
                               const std::vector<SequenceMaps>& layers) {
  return guarded(path.string(), [&]() -> Result<void> {
    NamedTensors tensors;
    for (const SequenceMaps& maps : layers)
      tensors.emplace_back("attention." + std::to_string(maps.layer),
                           at::from_blob(const_cast<float*>(maps.values->data()),
                                         {maps.heads, maps.length, maps.length}, at::kFloat));
    return writeSafetensors(path, tensors, {{"format", "pt"}});
  });
}

}  // namespace headlight
