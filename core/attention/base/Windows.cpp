// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/base/Windows.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <vector>

#include "core/attention/base/TokenPairLimit.h"
#include "core/base/Result.h"
#include "core/base/Translation.h"

namespace headlight {
namespace {

int roundedUp(int value, int multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

/// [M, M]: the row of the table that holds the offset from key j to query i, offsets counted from
/// their most negative, row by row (Swin's relative_position_index).
at::Tensor relativeIndex(const Grid& window) {
  const at::Tensor patches = at::arange(window.patches(), at::kLong);
  const at::Tensor row = patches.div(window.cols, "floor"), col = patches.remainder(window.cols);
  const auto offset = [](const at::Tensor& place, int side) {
    return place.unsqueeze(1) - place.unsqueeze(0) + (side - 1);
  };
  return offset(row, window.rows) * (2 * window.cols - 1) + offset(col, window.cols);
}

/// Along one side of the shifted grid: which places were neighbors before the shift. Only the last
/// window mixes: its part that came around the edge is another region than the rest.
std::vector<std::int64_t> regions(int length, int window, int shift) {
  std::vector<std::int64_t> labels(length, 0);
  if (shift == 0) return labels;
  std::fill(labels.end() - window, labels.end(), 1);
  std::fill(labels.end() - shift, labels.end(), 2);
  return labels;
}

/// Along one side of the padded, then shifted grid: where padding has come to stand.
at::Tensor paddingAfterShift(int length, int padded, int shift) {
  return (at::arange(padded, at::kLong) + shift).remainder(padded).ge(length);
}

/// [1, rows, cols, 1] bool: padding of a grid that was padded first.
at::Tensor paddingPlaces(const WindowShape& shape) {
  const at::Tensor row = paddingAfterShift(shape.grid.rows, shape.padded.rows, shape.shiftRows),
                   col = paddingAfterShift(shape.grid.cols, shape.padded.cols, shape.shiftCols);
  return row.view({1, -1, 1, 1}).logical_or(col.view({1, 1, -1, 1}));
}

/// [1, rows, cols, 1]: a label for every region of the shifted, padded grid (Swin, Fig. 4). Padding
/// that nothing looks at is a region of its own.
at::Tensor regionLabels(const WindowShape& shape) {
  const auto asTensor = [](const std::vector<std::int64_t>& labels) {
    return at::tensor(labels, at::kLong);
  };
  const at::Tensor row =
      asTensor(regions(shape.padded.rows, shape.window.rows, shape.shiftRows)).view({1, -1, 1, 1});
  const at::Tensor col =
      asTensor(regions(shape.padded.cols, shape.window.cols, shape.shiftCols)).view({1, 1, -1, 1});
  const at::Tensor labels = row * 3 + col;
  return shape.padsFirst() ? labels.masked_fill(paddingPlaces(shape), -1) : labels;
}

/// Follows the model to another device.
const at::Tensor& on(at::Tensor& tensor, const at::Device& device) {
  if (tensor.device() != device) tensor = tensor.to(device);
  return tensor;
}

}  // namespace

bool WindowShape::mayJoinEdges() const {
  const bool rows = shiftRows > 0 && padded.rows != grid.rows,
             cols = shiftCols > 0 && padded.cols != grid.cols;
  return !padsFirst() && (rows || cols);
}

std::string edgeNotice(const WindowShape& shape) {
  if (!shape.mayJoinEdges()) return {};
  return "Windows do not divide the grid. Patches at opposite edges of the image can attend to "
         "each other in shifted blocks, because the shift comes before the padding, as in timm.";
}

WindowShape windowShape(const Grid& grid, int size, bool shifted, WindowPadding padding) {
  if (grid.prefix > 0)
    throw Failure({ErrorCode::InvalidConfig,
                   tr("window attention does not support class or distillation tokens; set "
                      "class_token and distilled to false"),
                   "model.class_token"});
  WindowShape shape;
  shape.grid = grid;
  shape.window = {std::min(grid.rows, size), std::min(grid.cols, size), 0};
  shape.padded = {roundedUp(grid.rows, shape.window.rows), roundedUp(grid.cols, shape.window.cols),
                  0};
  shape.shiftRows = shifted && grid.rows > size ? size / 2 : 0;
  shape.shiftCols = shifted && grid.cols > size ? size / 2 : 0;
  shape.padding = padding;
  // A relative position for every pair in a window; with regions, every window has its own mask.
  requireTokenPairsFit((shape.hasRegions() ? shape.padded : shape.window).patches(),
                       shape.window.patches(), "model.attention.window", "use a smaller window");
  return shape;
}

Windows::Windows(const WindowShape& shape) : m_shape(shape) {
  const std::int64_t patches = shape.grid.patches();
  m_relative = relativeIndex(shape.window).view(-1);
  // Counted from 1, so that the zeros of the padding stand out.
  const at::Tensor numbered = at::arange(1, patches + 1, at::kLong).view({1, patches, 1});
  const at::Tensor places = partition(numbered).view(-1) - 1;
  m_patches = at::where(places < 0, at::full_like(places, patches), places);
  if (!shape.hasRegions()) return;
  const at::Tensor labels = cut(regionLabels(shape)).squeeze(2);  // [W, M]
  m_apart = labels.unsqueeze(1) != labels.unsqueeze(2);
}

/// [B, rows, cols, C], moved by the shift; `direction` −1 on the way in, 1 on the way back.
at::Tensor Windows::rolled(const at::Tensor& grid, int direction) const {
  if (!m_shape.isShifted()) return grid;
  return grid.roll({direction * m_shape.shiftRows, direction * m_shape.shiftCols}, {1, 2});
}

at::Tensor Windows::shiftedAndPadded(const at::Tensor& tokens) const {
  const Grid& grid = m_shape.grid;
  at::Tensor image = tokens.reshape({tokens.size(0), grid.rows, grid.cols, tokens.size(2)});
  if (!m_shape.padsFirst()) image = rolled(image, -1);
  const int below = m_shape.padded.rows - grid.rows, right = m_shape.padded.cols - grid.cols;
  if (below + right > 0) image = at::constant_pad_nd(image, {0, 0, 0, right, 0, below});
  return m_shape.padsFirst() ? rolled(image, -1) : image;
}

/// [B, rows, cols, C] of the padded grid → [B·W, M, C].
at::Tensor Windows::cut(const at::Tensor& padded) const {
  const Grid &whole = m_shape.padded, &window = m_shape.window;
  const std::int64_t channels = padded.size(3);
  return padded
      .reshape({padded.size(0), whole.rows / window.rows, window.rows, whole.cols / window.cols,
                window.cols, channels})
      .permute({0, 1, 3, 2, 4, 5})
      .reshape({-1, window.patches(), channels});
}

at::Tensor Windows::partition(const at::Tensor& tokens) const {
  return cut(shiftedAndPadded(tokens));
}

at::Tensor Windows::reverse(const at::Tensor& windows) const {
  const Grid &whole = m_shape.padded, &window = m_shape.window, &grid = m_shape.grid;
  const std::int64_t channels = windows.size(2);
  at::Tensor image = windows
                         .reshape({-1, whole.rows / window.rows, whole.cols / window.cols,
                                   window.rows, window.cols, channels})
                         .permute({0, 1, 3, 2, 4, 5})
                         .reshape({-1, whole.rows, whole.cols, channels});
  if (m_shape.padsFirst()) image = rolled(image, 1);
  image = image.slice(1, 0, grid.rows).slice(2, 0, grid.cols);
  if (!m_shape.padsFirst()) image = rolled(image, 1);
  return image.reshape({-1, grid.patches(), channels});
}

at::Tensor Windows::relativeBias(const at::Tensor& table) {
  const std::int64_t patches = m_shape.window.patches();
  return table.index_select(0, on(m_relative, table.device()))
      .view({patches, patches, table.size(1)})
      .permute({2, 0, 1});
}

at::Tensor Windows::apart(const at::Device& device) {
  return m_apart.defined() ? on(m_apart, device) : m_apart;
}

at::Tensor Windows::wholeMap(const at::Tensor& maps) {
  const std::int64_t heads = maps.size(1), inside = m_shape.window.patches(),
                     patches = m_shape.grid.patches(), count = m_shape.count();
  const at::Tensor place = on(m_patches, maps.device());
  const at::Tensor rows = maps.reshape({-1, count, heads, inside, inside})
                              .transpose(1, 2)
                              .reshape({-1, heads, count * inside, inside});
  const at::Tensor columns = place.view({count, 1, inside})
                                 .expand({count, inside, inside})
                                 .reshape({1, 1, count * inside, inside})
                                 .expand_as(rows);
  // One column more, N, takes what looks at the padding.
  const at::Tensor wide =
      at::zeros({rows.size(0), heads, count * inside, patches + 1}, maps.options())
          .scatter_(3, columns, rows);
  return wide.index_select(2, standing()).slice(3, 0, patches).contiguous();
}

/// argsort puts the patches in order, the places on the padding last.
at::Tensor Windows::standing() const {
  return m_patches.argsort().slice(0, 0, m_shape.grid.patches());
}

at::Tensor Windows::patches() const {
  return m_patches.masked_fill(m_patches == m_shape.grid.patches(), -1)
      .view({m_shape.count(), m_shape.window.patches()});
}

at::Tensor Windows::places() const {
  return standing().remainder(m_shape.window.patches());
}

at::Tensor Windows::patchesInSight() {
  const std::int64_t inside = m_shape.window.patches(), count = m_shape.count();
  const at::Tensor there = m_patches.view({count, 1, inside}).expand({count, inside, inside});
  at::Tensor seen = there.masked_fill(there == m_shape.grid.patches(), -1);
  if (m_apart.defined()) seen = seen.masked_fill(on(m_apart, seen.device()), -1);
  return seen.reshape({count * inside, inside}).index_select(0, standing());
}

}  // namespace headlight
