#include "core/attention/RotaryPositions.h"

#include <ATen/ATen.h>

#include <cmath>

#include "core/base/Result.h"

namespace headlight {
namespace {

/// Places along one side in the units that its angles are counted in.
at::Tensor placesAlong(const RotaryOptions& options, int length, std::size_t side) {
  const at::Tensor places = at::arange(length, at::kDouble);
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
  return at::cat({down.expand({grid.rows, grid.cols, bands}),
                  right.expand({grid.rows, grid.cols, bands})},
                 2)
      .reshape({grid.patches(), 2 * bands});
}

}  // namespace

RotaryPositions::RotaryPositions(const RotaryOptions& options, const Grid& grid, int headWidth)
    : m_halves(options.kind == "dinov3"), m_prefix(grid.prefix) {
  if (headWidth % 4 != 0)
    throw Failure({ErrorCode::InvalidConfig,
                   "rotary positions turn pairs along rows and columns: the width of a head, " +
                       std::to_string(headWidth) + ", has to be a multiple of 4",
                   "model.attention.rotary"});
  const at::Tensor angles = anglesOn(options, grid, headWidth);
  const at::Tensor both = m_halves ? angles.repeat({1, 2}) : angles.repeat_interleave(2, 1);
  m_sine = both.sin();
  m_cosine = both.cos();
}

/// Of every feature the one it turns with, the first of a pair as −second.
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
  const at::Tensor patches = x.slice(2, m_prefix);
  const at::Tensor moved = patches * m_cosine + partners(patches) * m_sine;
  return m_prefix == 0 ? moved : at::cat({x.slice(2, 0, m_prefix), moved}, 2);
}

}  // namespace headlight
