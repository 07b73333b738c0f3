// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What is recorded of a model while it trains, in plain types: EvolutionFile.h says how it lies in
// the file, core/workbench/runs/RecordedEvolution.h reads it for programs.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/masks/Grid.h"

namespace headlight {

inline constexpr const char* kEvolutionFile = "evolution.bin";
/// In place of a query token: the mean over all patch rows, of layers without a class token.
inline constexpr int kMeanOfPatches = -1;

/// What is kept of a layer's maps.
struct EvolutionLayer {
  int heads = 0;  ///< 0: its map is not tokens × tokens, and nothing of it is kept
  Grid grid;
  std::vector<int> queries;  ///< the tokens whose rows are kept, in this order
};
/// An image whose maps are kept.
struct EvolutionImage {
  std::int64_t index = 0;  ///< in the validation split
  int label = 0;           ///< its class
  std::string name;        ///< of its file, for titles
  std::string png;         ///< what the model saw, before normalization
};
/// What all points of a file share.
struct EvolutionBeginning {
  std::string run;  ///< its id
  std::string meaning;
  bool isSigned = false, rowsSumToOne = true;
  std::vector<EvolutionLayer> layers;
  std::vector<EvolutionImage> images;
  std::vector<std::string> classNames;
  std::int64_t stride = 1;  ///< every so many measurements one is kept
};

/// Rows of numbers, each in 8 bits of its own scale s: code c is s·c/255, of signed ones
/// s·(c − 128)/127. Where s is the row's greatest |value| that is off by at most s/510, or s/254. A
/// row with a value that is no finite number has the scale NaN, and reads as NaN throughout.
struct QuantizedRows {
  std::vector<std::uint8_t> codes;  ///< [rows, width]
  std::vector<float> scales;        ///< [rows]
};
std::vector<float> rowValues(const QuantizedRows& rows, std::size_t row, std::size_t width,
                             bool isSigned);

/// A parameter in half precision, as bits: off by at most 2⁻¹¹ of each value.
struct EvolutionTensor {
  std::string name;
  std::vector<std::int64_t> shape;
  std::vector<std::uint16_t> halves;
};

/// What was measured at one step.
struct EvolutionPoint {
  std::int64_t step = 0;
  std::int64_t epoch = 0;                               ///< epochs done
  std::vector<std::vector<float>> locality, alpha;      ///< as HeadPoint's
  std::vector<std::vector<std::pair<int, float>>> top;  ///< [image]: classes, the likeliest first
  std::vector<QuantizedRows> maps;       ///< [layer]: rows [image, head, query], T wide
  QuantizedRows rollout;                 ///< rows [image], patches of layer 0 wide; or none
  std::vector<EvolutionTensor> tensors;  ///< what mechanisms learned for all images alike
};

}  // namespace headlight
