// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A mask that somebody drew: an image of zeros and ones, and what its pixels stand for.

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/Result.h"

namespace headlight {

enum class DrawnForm {
  Offsets,  ///< odd × odd: keys by their place around the query, which is in the middle
  Keys,     ///< rows × cols of the key grid: the same keys for every query
  Pairs,    ///< [queries, keys], patches row by row
};

struct DrawnMask {
  DrawnForm form = DrawnForm::Offsets;
  int rows = 0, cols = 0;
  std::vector<std::uint8_t> ones;  ///< [rows × cols]: 1 where a key is selected

  bool at(int row, int col) const { return ones[static_cast<std::size_t>(row) * cols + col] != 0; }
  std::int64_t count() const;  ///< of ones
  bool operator==(const DrawnMask&) const = default;
};

inline constexpr int kMaxDrawnSide = 4096;
inline constexpr std::int64_t kMaxDrawnPixels = std::int64_t{1} << 22;  ///< pairs of 2048 patches

const std::vector<std::string>& drawnFormNames();  ///< offsets, keys, pairs

/// Ok if the sizes are possible, there are as many ones as pixels, and any of them is 1.
Result<void> checkDrawn(const DrawnMask& mask);

/// "drawnoffsets3x3=XQ": rows x columns, and six pixels a digit of URL-safe base64, the first the
/// highest bit, zeros after the last. The form in configs.
std::string drawnText(const DrawnMask& mask);
/// Errors: any other form; as checkDrawn.
Result<DrawnMask> drawnFromText(const std::string& text);

}  // namespace headlight
