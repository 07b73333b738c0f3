// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/masks/MaskRegions.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/base/Translation.h"
#include "core/masks/Neighborhood.h"

namespace headlight {
namespace {

using Ones = std::vector<std::uint8_t>;

Error noFit(const std::string& why) {
  return {ErrorCode::InvalidConfig, why, "masks"};
}

std::string gridText(int rows, int cols) {
  return std::to_string(rows) + " × " + std::to_string(cols);
}
std::string gridText(const Grid& grid) {
  return gridText(grid.rows, grid.cols);
}

/// Where a patch of `queries` stands on the keys.
GlobalPatch cellOf(int patch, const Grid& queries, const Grid& keys) {
  return {patch / queries.cols * keys.rows / queries.rows,
          patch % queries.cols * keys.cols / queries.cols};
}

bool isGlobal(const HeadMask& mask, const GlobalPatch& cell) {
  const auto& global = mask.region.global;
  return std::find(global.begin(), global.end(), cell) != global.end();
}

/// The patches alone, [rows × cols] of the keys.
void addNatten(const HeadMask& mask, const Grid& keys, const GlobalPatch& cell, Ones& patches) {
  const int dilation = mask.region.dilation, stride = mask.region.stride;
  const int top = nattenStart(cell.row, keys.rows, mask.window, dilation, stride),
            left = nattenStart(cell.col, keys.cols, mask.window, dilation, stride);
  for (int r = 0; r < mask.window; ++r)
    for (int c = 0; c < mask.window; ++c)
      patches[static_cast<std::size_t>(top + r * dilation) * keys.cols + left + c * dilation] = 1;
}

void addOffsets(const DrawnMask& drawn, const Grid& keys, const GlobalPatch& cell, Ones& patches) {
  for (int r = 0; r < keys.rows; ++r)
    for (int c = 0; c < keys.cols; ++c) {
      const int row = r - cell.row + drawn.rows / 2, col = c - cell.col + drawn.cols / 2;
      if (row >= 0 && row < drawn.rows && col >= 0 && col < drawn.cols && drawn.at(row, col))
        patches[static_cast<std::size_t>(r) * keys.cols + c] = 1;
    }
}

void addDrawn(const DrawnMask& drawn, const Grid& keys, int patch, const GlobalPatch& cell,
              Ones& patches) {
  if (drawn.form == DrawnForm::Offsets) return addOffsets(drawn, keys, cell, patches);
  const std::ptrdiff_t first =
      drawn.form == DrawnForm::Pairs ? std::ptrdiff_t{patch} * drawn.cols : 0;
  std::copy_n(drawn.ones.begin() + first, patches.size(), patches.begin());
}

bool hasPlainRows(const HeadMask& mask) {
  return mask.region.kind == RegionKind::Square && mask.region.global.empty();
}

Result<void> checkDrawing(const DrawnMask& drawn, const Grid& queries, const Grid& keys) {
  if (drawn.form == DrawnForm::Offsets) return {};
  const bool pairs = drawn.form == DrawnForm::Pairs;
  const int rows = pairs ? queries.patches() : keys.rows, cols = pairs ? keys.patches() : keys.cols;
  if (drawn.rows == rows && drawn.cols == cols) return {};
  return noFit(
      tr("the drawn mask has ") + gridText(drawn.rows, drawn.cols) +
      (pairs ? tr(" pairs of patches, but this layer has ") : tr(" patches, but this layer has ")) +
      gridText(rows, cols) + tr("; draw it for this size, or by offsets, which fit every size"));
}

Result<void> checkNatten(const HeadMask& mask, const Grid& keys) {
  const int reach = mask.window * mask.region.dilation;
  if (reach <= keys.rows && reach <= keys.cols) return {};
  return noFit(tr("a natten window of ") + std::to_string(mask.window) + tr(" with dilation ") +
               std::to_string(mask.region.dilation) + tr(" needs ") + std::to_string(reach) +
               tr(" patches a side, but this layer has ") + gridText(keys) +
               tr("; choose a smaller window or dilation, or a window in pixels (px)"));
}

/// A softmax over nothing has no value.
Result<void> checkRows(const HeadMask& mask, const Grid& queries, const Grid& keys) {
  if (mask.kind != MaskKind::Strict || mask.region.kind != RegionKind::Drawn || keys.prefix > 0)
    return {};
  for (int patch = 0; patch < queries.patches(); ++patch) {
    const Ones row = selectedRow(mask, queries, keys, 0, queries.prefix + patch);
    if (std::find(row.begin(), row.end(), 1) == row.end())
      return noFit(tr("the strict mask lets the patch in row ") +
                   std::to_string(patch / queries.cols) + tr(", column ") +
                   std::to_string(patch % queries.cols) +
                   tr(" see nothing; draw at least one key for it, or use hard"));
  }
  return {};
}

}  // namespace

HeadMask inPatches(HeadMask mask, double pixels) {
  if (!mask.region.inPixels) return mask;
  mask.window = std::max(1, 2 * static_cast<int>(std::lround((mask.window / pixels - 1) / 2)) + 1);
  mask.region.stride = std::min(mask.region.stride, mask.window);
  mask.region.inPixels = false;
  return mask;
}

int nattenStart(int index, int length, int window, int dilation, int stride) {
  // Every dilation-th cell is a line of its own.
  const int group = index % dilation, count = (length - group + dilation - 1) / dilation;
  const int inGroup = index / dilation, half = window / 2;
  const int leader = std::min(inGroup / stride * stride + stride / 2, count - 1);
  return group + std::clamp(leader - half, 0, count - window) * dilation;
}

Result<void> checkRegion(const HeadMask& mask, const Grid& queries, const Grid& keys) {
  if (mask.kind == MaskKind::None || mask.kind == MaskKind::Decay) return {};
  for (const GlobalPatch& patch : mask.region.global)
    if (patch.row >= keys.rows || patch.col >= keys.cols)
      return noFit(tr("the global patch ") + std::to_string(patch.row) + "." +
                   std::to_string(patch.col) + tr(" is outside of this layer's ") + gridText(keys) +
                   tr(" patches"));
  if (mask.region.kind == RegionKind::Natten) return checkNatten(mask, keys);
  if (mask.region.kind != RegionKind::Drawn) return {};
  if (!mask.region.drawn) return noFit(tr("the drawn mask has no drawing; import a PNG"));
  if (auto drawn = checkDrawing(*mask.region.drawn, queries, keys); !drawn) return drawn;
  return checkRows(mask, queries, keys);
}

Ones selectedRow(const HeadMask& mask, const Grid& queries, const Grid& keys, std::uint64_t seed,
                 int token) {
  if (mask.kind == MaskKind::Random) return randomRow(queries, keys, mask.window, seed, token);
  if (hasPlainRows(mask)) return neighborhoodRow(queries, keys, mask.window, token);
  const int patch = token - queries.prefix;
  const GlobalPatch cell = patch < 0 ? GlobalPatch{} : cellOf(patch, queries, keys);
  if (patch < 0 || isGlobal(mask, cell)) return Ones(static_cast<std::size_t>(keys.tokens()), 1);
  Ones patches(static_cast<std::size_t>(keys.patches()), 0);
  if (mask.region.kind == RegionKind::Natten) addNatten(mask, keys, cell, patches);
  if (mask.region.kind == RegionKind::Drawn)
    addDrawn(*mask.region.drawn, keys, patch, cell, patches);
  if (mask.region.kind == RegionKind::Square) {
    const Ones near = neighborhoodRow(queries, keys, mask.window, token);
    std::copy(near.begin() + keys.prefix, near.end(), patches.begin());
  }
  for (const GlobalPatch& global : mask.region.global)
    patches[static_cast<std::size_t>(global.row) * keys.cols + global.col] = 1;
  Ones row(static_cast<std::size_t>(keys.prefix), 1);
  row.insert(row.end(), patches.begin(), patches.end());
  return row;
}

Ones selectedMask(const HeadMask& mask, const Grid& queries, const Grid& keys, std::uint64_t seed) {
  Ones matrix;
  matrix.reserve(static_cast<std::size_t>(queries.tokens()) * keys.tokens());
  for (int token = 0; token < queries.tokens(); ++token) {
    const Ones row = selectedRow(mask, queries, keys, seed, token);
    matrix.insert(matrix.end(), row.begin(), row.end());
  }
  return matrix;
}

std::int64_t selectedPatches(const HeadMask& mask) {
  const std::int64_t square = std::int64_t{mask.window} * mask.window;
  if (mask.kind == MaskKind::Random) return square;
  // Few global rows of all tokens cost as much as a column of all rows each.
  const auto global = 2 * static_cast<std::int64_t>(mask.region.global.size());
  if (mask.region.kind != RegionKind::Drawn || !mask.region.drawn) return square + global;
  const DrawnMask& drawn = *mask.region.drawn;
  const int rows = drawn.form == DrawnForm::Pairs ? drawn.rows : 1;
  return (drawn.count() + rows - 1) / rows + global;
}

std::vector<int> manhattanDistances(const Grid& queries, const Grid& keys, int patch) {
  const GlobalPatch cell = cellOf(patch, queries, keys);
  std::vector<int> distances;
  distances.reserve(static_cast<std::size_t>(keys.patches()));
  for (int r = 0; r < keys.rows; ++r)
    for (int c = 0; c < keys.cols; ++c)
      distances.push_back(std::abs(r - cell.row) + std::abs(c - cell.col));
  return distances;
}

std::vector<double> decayLogits(double gamma, const Grid& queries, const Grid& keys) {
  std::vector<double> logits(static_cast<std::size_t>(queries.tokens()) * keys.tokens(), 0.0);
  const double each = std::log(gamma);
  for (int patch = 0; patch < queries.patches(); ++patch) {
    const auto distances = manhattanDistances(queries, keys, patch);
    const std::size_t row = static_cast<std::size_t>(queries.prefix + patch) * keys.tokens();
    for (std::size_t i = 0; i < distances.size(); ++i)
      logits[row + static_cast<std::size_t>(keys.prefix) + i] = each * distances[i];
  }
  return logits;
}

}  // namespace headlight
