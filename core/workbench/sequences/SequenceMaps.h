// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Where a sequence model looks: the matrices of one layer, to be drawn and to be kept.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/Result.h"
#include "core/imaging/ColorMap.h"

namespace headlight {

struct SequenceMaps {
  std::string meaning;      ///< what such a map is, in words
  int layer = 0;            ///< from 0
  int heads = 0;            ///< H; of AFT 1, but for aft_conv
  std::int64_t length = 0;  ///< t: rows and columns
  /// [H, t, t]: row i is of where byte i is predicted; column 0 is the start of the sequence,
  /// column j > 0 the byte j − 1. 0 above the diagonal; rows sum to 1.
  std::shared_ptr<const std::vector<float>> values;
  std::int64_t taps = 0;  ///< s of aft_conv; 0: pairs of positions share no bias
  /// [H, s] of aft_conv: e^w − 1 by distance, column j for the byte j places before the newest that
  /// is seen. The same for every input.
  std::shared_ptr<const std::vector<float>> filter;

  const float* head(int index) const { return values->data() + index * length * length; }
};

/// At most so many rows of a map.
constexpr std::int64_t kMostMapRows = 4096;

/// One head as a square image, a pixel a value. Every row is scaled to its own greatest value:
/// early rows share their sum among few.
Image sequenceMapImage(const SequenceMaps& maps, int head, ColorMap colors);
/// The filters of all heads, a row a head, in diverging colors about 0. For those with taps.
Image sequenceFilterImage(const SequenceMaps& maps, int side);
/// What it shows, in sentences.
std::string sequenceFilterMeaning();
/// All heads side by side, and their filters, with what they are in words; each at most `side` pixels (16 to 4096).
Image sequenceMapsFigure(const SequenceMaps& maps, const std::string& title, ColorMap colors,
                         int side);
/// How the image is to be read, in a sentence.
std::string sequenceMapScale();

/// Writes a safetensors file with `attention.L` [H, t, t] of F32 for each of the layers given, and
/// `filter.L` [H, s] where they have one.
Result<void> writeSequenceMaps(const std::filesystem::path& path,
                               const std::vector<SequenceMaps>& layers);

}  // namespace headlight
