// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Masked heads by loops in double precision, from MaiT Eq. 2 alone, and cases for those who compute
// them.

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/attention/kernels/heads/HeadLogits.h"
#include "core/base/TorchCompat.h"
#include "core/masks/Grid.h"
#include "core/masks/HeadMask.h"
#include "core/masks/MaskRegions.h"
#include "tests/attention/NaiveHeads.h"

namespace headlight::testing {

struct MaskedCase {
  Grid grid;
  int headWidth;
  std::vector<std::string> masks;  ///< one a head: hard, strict or random

  int heads() const { return static_cast<int>(masks.size()); }
  std::int64_t width() const { return heads() * headWidth; }
  std::string name() const {
    std::string text = std::to_string(grid.rows) + "x" + std::to_string(grid.cols) + "+" +
                       std::to_string(grid.prefix);
    for (const auto& mask : masks)
      text += " " + mask;
    return text;
  }
};

/// Prefixes of 0, 1 and 2 tokens, R of 1, 3 and 5, grids that a window covers and that it does not.
inline std::vector<MaskedCase> maskedCases() {
  return {{{3, 4, 0}, 5, {"hard:1", "hard:3"}},
          {{5, 3, 1}, 8, {"strict:3", "random:3#5", "hard:5"}},
          {{4, 4, 2}, 6, {"hard:3", "strict:5", "strict:1", "hard:3"}},
          {{2, 2, 1}, 3, {"hard:5"}},
          {{9, 10, 1}, 7, {"random:5#2", "hard:3"}},
          {{6, 7, 1}, 8, {"strict:natten3d2", "hard:natten3s2", "hard:3+0.0+5.6"}},
          {{4, 5, 0}, 5, {"hard:drawnoffsets3x3=XQ", "strict:natten3", "strict:1+2.2"}}};
}

/// M of a head, [T, T] row by row.
inline std::vector<std::uint8_t> onesOf(const MaskedCase& c, int head) {
  const HeadMask mask = *headMaskFromText(c.masks[head]);
  return selectedMask(mask, c.grid, c.grid, mask.seed);
}

inline bool isStrict(const MaskedCase& c, int head) {
  return headMaskFromText(c.masks[head])->kind == MaskKind::Strict;
}

/// The rules of a case with its sets and, in the dtype and on the device of `like`, its masks.
inline HeadLogits logitsOf(const MaskedCase& c, const at::TensorOptions& like) {
  const std::int64_t tokens = c.grid.tokens();
  HeadLogits logits;
  for (int h = 0; h < c.heads(); ++h) {
    const auto ones = onesOf(c, h);
    const at::Tensor mask = at::empty({tokens, tokens}, at::kByte);
    std::copy(ones.begin(), ones.end(), mask.data_ptr<std::uint8_t>());
    logits.masks.push_back(mask.to(like));
    logits.sets.push_back(selectedSets(c.grid, ones.data()));
    logits.rules.push_back(isStrict(c, h) ? LogitRule::Forbid : LogitRule::Multiply);
  }
  return logits;
}

/// [B, H, T, T] in double on the CPU: softmax of M ⊙ S or, strict, of S where M is 1.
inline at::Tensor naiveMaps(const MaskedCase& c, const at::Tensor& qkv) {
  const at::Tensor host = qkv.detach().to(at::kCPU, at::kDouble).contiguous();
  const auto values = host.accessor<double, 3>();
  const std::int64_t batch = qkv.size(0), tokens = c.grid.tokens(), width = c.width();
  at::Tensor maps = at::zeros({batch, c.heads(), tokens, tokens}, at::kDouble);
  auto out = maps.accessor<double, 4>();
  for (int h = 0; h < c.heads(); ++h) {
    const auto ones = onesOf(c, h);
    for (std::int64_t b = 0; b < batch; ++b)
      for (std::int64_t n = 0; n < tokens; ++n) {
        double sum = 0;
        for (std::int64_t j = 0; j < tokens; ++j) {
          double s = 0;
          for (int f = h * c.headWidth; f < (h + 1) * c.headWidth; ++f)
            s += values[b][n][f] * values[b][j][width + f];
          const bool inside = ones[n * tokens + j] != 0;
          const double outside = isStrict(c, h) ? -std::numeric_limits<double>::infinity() : 0.0;
          sum += out[b][h][n][j] = std::exp(inside ? s / std::sqrt(double(c.headWidth)) : outside);
        }
        for (std::int64_t j = 0; j < tokens; ++j)
          out[b][h][n][j] /= sum;
      }
  }
  return maps;
}

/// [B, H, T, d]: maps times values, by loops.
inline at::Tensor naiveHeads(const MaskedCase& c, const at::Tensor& qkv, const at::Tensor& maps) {
  const at::Tensor host = qkv.detach().to(at::kCPU, at::kDouble).contiguous();
  const auto values = host.accessor<double, 3>();
  const auto weights = maps.accessor<double, 4>();
  const std::int64_t batch = qkv.size(0), tokens = c.grid.tokens(), width = c.width();
  at::Tensor heads = at::zeros({batch, c.heads(), tokens, c.headWidth}, at::kDouble);
  auto out = heads.accessor<double, 4>();
  for (std::int64_t b = 0; b < batch; ++b)
    for (int h = 0; h < c.heads(); ++h)
      for (std::int64_t n = 0; n < tokens; ++n)
        for (std::int64_t j = 0; j < tokens; ++j)
          for (int f = 0; f < c.headWidth; ++f)
            out[b][h][n][f] += weights[b][h][n][j] * values[b][j][2 * width + h * c.headWidth + f];
  return heads;
}

/// Rows that select every token, some or all of them: 0 is none of their logits.
inline std::vector<MaskedCase> casesThatSelectAll() {
  return {{{2, 2, 1}, 3, {"hard:5", "strict:5"}}, {{3, 3, 1}, 8, {"hard:3", "hard:5", "random:3"}}};
}

/// [2, T, 3·D] in double whose logits all lie near −2000, where an exponential is 0.
inline at::Tensor farBelowZero(const MaskedCase& c) {
  const at::Tensor qkv = at::randn({2, c.grid.tokens(), 3, c.width()}, at::kDouble);
  const double apart = std::sqrt(2000 / std::sqrt(double(c.headWidth)));
  qkv.select(2, 0).mul_(0.1).add_(apart);
  qkv.select(2, 1).mul_(0.1).sub_(apart);
  return qkv.view({2, c.grid.tokens(), 3 * c.width()});
}

/// The CPU, and a CUDA device where there is one.
inline std::vector<at::Device> devices() {
  std::vector<at::Device> result{at::Device(at::kCPU)};
  if (cudaIsAvailable()) result.emplace_back(at::kCUDA, static_cast<at::DeviceIndex>(0));
  return result;
}

}  // namespace headlight::testing
