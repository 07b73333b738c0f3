// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/base/RotaryPositions.h"

#include <ATen/ATen.h>

#include <cmath>

#include "core/base/Result.h"
#include "core/base/Translation.h"

namespace headlight {
namespace {

/// Places along one side in the units that its angles are counted in.
at::Tensor placesAlong(const RotaryOptions& options, int length, std::size_t side) {
  at::Tensor places = at::arange(length, at::kDouble) + options.offset;
  if (options.kind == "dinov3") return (places + 0.5) / length * 2 - 1;
  if (options.reference.empty()) return places;
  return places / length * options.reference[side % options.reference.size()];
}

/// [N, d/2]: the angles of rows, then those of columns.
at::Tensor anglesOn(const RotaryOptions& options, const Grid& grid, int headWidth) {
  const int bands = headWidth / 4;
  const at::Tensor exponents = at::arange(bands, at::kDouble) / bands;
  const at::Tensor speeds =
      at::pow(options.temperature, -exponents) * (options.kind == "dinov3" ? 2 * M_PI : 1.0);
  const auto anglesAlong = [&](int length, std::size_t side) {
    return placesAlong(options, length, side).unsqueeze(1) * speeds;
  };
  const at::Tensor down = anglesAlong(grid.rows, 0).unsqueeze(1),
                   right = anglesAlong(grid.cols, 1).unsqueeze(0);
  const at::Tensor rows = down.expand({grid.rows, grid.cols, bands}),
                   columns = right.expand({grid.rows, grid.cols, bands});
  return (options.columnsFirst ? at::cat({columns, rows}, 2) : at::cat({rows, columns}, 2))
      .reshape({grid.patches(), 2 * bands});
}

}  // namespace

RotaryFrequencies::RotaryFrequencies(int layers, int heads, int headWidth, double temperature)
    : m_temperature(temperature),
      m_frequencies(register_parameter("freqs", at::zeros({2, layers, heads, headWidth / 2}))) {}

void RotaryFrequencies::initialize() {
  const at::NoGradGuard noGrad;
  const std::int64_t bands = m_frequencies.size(3) / 2;
  const at::Tensor speeds = at::pow(m_temperature, -at::arange(bands, at::kFloat) / bands);
  const at::Tensor turn =
      at::rand({m_frequencies.size(1), m_frequencies.size(2), 1}, at::kFloat) * (2 * M_PI);
  const at::Tensor quarter = turn + M_PI / 2;
  m_frequencies.copy_(at::stack({at::cat({speeds * turn.cos(), speeds * quarter.cos()}, -1),
                                 at::cat({speeds * turn.sin(), speeds * quarter.sin()}, -1)}));
}

RotaryPositions::RotaryPositions(const RotaryOptions& options, const Grid& grid, int headWidth)
    : m_halves(options.kind == "dinov3"), m_grid(grid) {
  if (headWidth % 4 != 0)
    throw Failure({ErrorCode::InvalidConfig,
                   tr("rotary positions need a head width divisible by 4, but it is ") +
                       std::to_string(headWidth),
                   "model.attention.rotary"});
  if (options.kind != "mixed") setAngles(anglesOn(options, grid, headWidth));
}

/// [N, d/2] or [H, N, d/2], of the pairs.
void RotaryPositions::setAngles(const at::Tensor& angles) {
  const at::Tensor both =
      m_halves ? at::cat({angles, angles}, -1) : at::stack({angles, angles}, -1).flatten(-2);
  m_sine = both.sin();
  m_cosine = both.cos();
}

void RotaryPositions::turnBy(const at::Tensor& frequencies) {
  const auto places = [&](int length, const at::IntArrayRef& along) {
    return at::arange(length, frequencies.options())
        .view(along)
        .expand({m_grid.rows, m_grid.cols})
        .reshape({1, -1, 1});
  };
  setAngles(places(m_grid.cols, {1, -1}) * frequencies[0].unsqueeze(1) +
            places(m_grid.rows, {-1, 1}) * frequencies[1].unsqueeze(1));
}

/// For every feature the one it turns with, the first of a pair as −second.
at::Tensor RotaryPositions::partners(const at::Tensor& x) const {
  if (m_halves) {
    const auto halves = x.chunk(2, -1);
    return at::cat({-halves[1], halves[0]}, -1);
  }
  const at::Tensor pairs = x.unflatten(-1, {-1, 2});
  return at::stack({-pairs.select(-1, 1), pairs.select(-1, 0)}, -1).flatten(-2);
}

at::Tensor RotaryPositions::turned(const at::Tensor& x) {
  m_sine = m_sine.to(x.options().requires_grad(false));  // follows the model
  m_cosine = m_cosine.to(x.options().requires_grad(false));
  const int prefix = m_grid.prefix;
  const at::Tensor patches = x.slice(2, prefix);
  const at::Tensor moved = patches * m_cosine + partners(patches) * m_sine;
  return prefix == 0 ? moved : at::cat({x.slice(2, 0, prefix), moved}, 2);
}

}  // namespace headlight
