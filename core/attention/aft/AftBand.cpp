// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/aft/AftBand.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>

#include "core/attention/aft/AftAttention.h"

namespace headlight {
namespace {

constexpr double kNowhere = -std::numeric_limits<double>::infinity();

GridBand bandOfWindow(const Grid& grid, int window) {
  return {grid.rows, grid.cols, std::min(window, grid.rows) - 1};
}

/// [rows·cols, (2·reach + 1)·cols]: the patch in each column of the band; outside the grid it is
/// beside it.
at::Tensor patchesInBand(const GridBand& band) {
  const at::Tensor row = at::arange(band.rows).repeat_interleave(band.cols),
                   columns = at::arange(band.columns());
  return ((row - band.reach) * band.cols).unsqueeze(1) + columns.unsqueeze(0);
}

/// Whether they are on the grid and less than `window` columns away.
at::Tensor insideWindow(const GridBand& band, int window) {
  const at::Tensor patches = patchesInBand(band);
  const at::Tensor column = at::arange(band.cols).repeat({band.rows}).unsqueeze(1);
  const at::Tensor apart = at::arange(band.columns()).remainder(band.cols).unsqueeze(0) - column;
  return (patches >= 0).logical_and(patches < band.tokens()).logical_and(apart.abs() < window);
}

}  // namespace

AftBand::AftBand(const Grid& grid, int window, bool global)
    : m_grid(grid),
      m_band(bandOfWindow(grid, window)),
      m_global(global),
      m_outside(insideWindow(m_band, window).logical_not()) {}

AftBandBiases AftBand::biases(const at::Tensor& u, const at::Tensor& v) const {
  const std::int64_t prefix = m_grid.prefix, margin = m_band.reach * m_band.cols;
  const at::Tensor keys = at::constant_pad_nd(v.slice(0, prefix), {0, 0, margin, margin})
                              .unfold(0, m_band.columns(), m_band.cols);  // [rows, d', columns]
  const at::Tensor queries = u.slice(0, prefix).view({m_band.rows, m_band.cols, u.size(1)});
  return {u.slice(0, 0, prefix).mm(v.t()), u.slice(0, prefix).mm(v.slice(0, 0, prefix).t()),
          queries.bmm(keys).view({m_band.tokens(), m_band.columns()})};
}

AftBandBiases AftBand::biases(const at::Tensor& whole) const {
  const std::int64_t prefix = m_grid.prefix;
  const at::Tensor patches = patchesInBand(m_band).clamp(0, m_band.tokens() - 1).to(whole.device());
  return {whole.slice(0, 0, prefix), whole.slice(0, prefix).slice(1, 0, prefix),
          whole.slice(0, prefix).slice(1, prefix).gather(1, patches)};
}

/// [B, rows, 1, C]: of each row of the grid what lies in rows beyond the band, added up from both
/// ends: nothing is taken away again that would leave the rounding errors of large terms.
at::Tensor AftBand::beyond(const at::Tensor& patches) const {
  const at::Tensor rows =
      patches.reshape({patches.size(0), m_band.rows, m_band.cols, patches.size(2)}).sum(2);
  const auto before = [&](const at::Tensor& all) {
    return at::constant_pad_nd(all.cumsum(1), {0, 0, m_band.reach + 1, 0}).slice(1, 0, m_band.rows);
  };
  return (before(rows) + before(rows.flip(1)).flip(1)).unsqueeze(2);
}

/// Rows of the patches, [B, N, C], each scaled by its greatest weight, from `sums` [B, P + N, C].
at::Tensor AftBand::patchSums(const at::Tensor& sums, const AftBandBiases& biases) {
  const std::int64_t prefix = m_grid.prefix;
  const at::Tensor near = biases.near.masked_fill(m_outside, m_global ? 0 : kNowhere);
  at::Tensor greatest = near.detach().amax(1, /*keepdim=*/true);
  if (prefix > 0) greatest = at::maximum(greatest, biases.toPrefix.detach().amax(1, true));
  if (m_global) greatest = greatest.clamp_min(0);  // that of patches beyond
  const at::Tensor patches = sums.slice(1, prefix);
  // Beside the band: prefix tokens, and all that lies beyond as one.
  std::vector<at::Tensor> factors{(biases.toPrefix - greatest).exp()},
      terms{sums.slice(1, 0, prefix).unsqueeze(1).expand({-1, m_band.rows, -1, -1})};
  if (m_global) {
    factors.push_back((-greatest).exp());
    terms.push_back(beyond(patches));
  }
  return bandSums((near - greatest).exp(), patches, at::cat(factors, 1), at::cat(terms, 2), m_band);
}

at::Tensor AftBand::context(const at::Tensor& keys, const at::Tensor& values,
                            const AftBandBiases& biases) {
  const std::int64_t width = keys.size(2);
  const at::Tensor weights = aftKeyWeights(keys);
  const at::Tensor sums = at::cat({weights * values, weights}, 2);  // Σ e^K V and Σ e^K
  // Sums of weights may underflow where K spans more than a float's range: 0, not NaN.
  const auto ratio = [&](const at::Tensor& both) {
    return both.slice(2, 0, width) /
           both.slice(2, width).clamp_min(std::numeric_limits<float>::min());
  };
  at::Tensor patches = ratio(patchSums(sums, biases));
  if (m_grid.prefix == 0) return patches;
  const at::Tensor greatest = biases.ofPrefix.detach().amax(1, /*keepdim=*/true);
  return at::cat({ratio(at::matmul((biases.ofPrefix - greatest).exp(), sums)), patches}, 1);
}

/// Time of the large product over that of the bands, forward and backward together, D = 192, 8
/// images, OpenBLAS on two cores that others used too; processor time with one thread, and in
/// brackets with two (of 20 × 20 by the clock):
///   14 × 14, s 1: 0.8 (0.9), s 4: 0.6 (0.4)
///   20 × 20, s 1: 1.2 (1.2), s 3: 1.1 (0.7)
///   28 × 28, s 2: 1.7 (1.1), s 4: 1.4 (0.8)
///   56 × 56, s 1: 5.2 (4.4), s 4: 3.4 (3.2), s 7: 2.6 (1.3)
/// Taken where both are faster: a column of the band is reckoned as three of the large product, and
/// what there is to do beside it as 500.
bool AftBand::isFaster(const Grid& grid, int window) {
  if (window < 1) return false;
  const std::int64_t near = (2 * std::int64_t{window} - 1) * grid.cols;
  return grid.patches() > 3 * near + 500;
}

std::int64_t AftBand::pairs(const Grid& grid, int window) {
  const GridBand band = bandOfWindow(grid, window);
  std::int64_t near = 0;
  for (std::int64_t row = 0; row < band.rows; ++row)
    near +=
        std::min(band.rows - 1, row + band.reach) - std::max<std::int64_t>(0, row - band.reach) + 1;
  return near * band.cols * band.cols +
         std::int64_t{grid.prefix} * (grid.tokens() + grid.patches());
}

}  // namespace headlight
