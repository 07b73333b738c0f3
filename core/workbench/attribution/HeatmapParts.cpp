// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/attribution/HeatmapParts.h"

#include <ATen/ATen.h>

#include "core/base/Text.h"

namespace headlight {

TokenRow startingRow(const Grid& grid, bool ofClassToken) {
  TokenRow row(grid.tokens(), 0.0);
  if (ofClassToken)
    row[0] = 1;
  else
    std::fill(row.begin() + grid.prefix, row.end(), 1.0 / grid.patches());
  return row;
}

TokenRow rowTimes(const TokenRow& row, const at::Tensor& factor) {
  const auto tokens = static_cast<std::size_t>(factor.size(0));
  const float* values = factor.data_ptr<float>();
  TokenRow result(tokens, 0.0);
  for (std::size_t i = 0; i < tokens; ++i)
    for (std::size_t j = 0; j < tokens && row[i] != 0; ++j)
      result[j] += row[i] * values[i * tokens + j];
  return result;
}

std::vector<float> patchScores(const TokenRow& row, const Grid& grid) {
  return {row.begin() + grid.prefix, row.end()};
}

void goBackTo(ClassGradient& gradient, int layer, const std::function<void()>& step) {
  while (gradient.nextBlock() > layer) {
    gradient.stepBack(/*withMap=*/false);
    step();
  }
}

std::string attentionNote(bool ofClassToken, const std::string& ofGradient, const ModelInfo& info) {
  std::string note = ofClassToken ? "" : "mean over the query patches";
  if (!ofGradient.empty()) addTo(note, ofGradient, "; ");
  if (info.mapIsSigned) addTo(note, "signed maps, unchanged", "; ");
  return note;
}

}  // namespace headlight
