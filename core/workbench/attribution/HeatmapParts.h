// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What heatmaps of a class's gradient share: rows of the token matrix, and the way back to a layer.
// Torch types: core only.

#include <functional>
#include <string>
#include <vector>

#include "core/workbench/attribution/ClassGradient.h"
#include "core/workbench/session/InferenceSession.h"

namespace headlight {

using TokenRow = std::vector<double>;  ///< [T]

/// The row of the identity that is followed: the class token's, or the mean of the patches'.
TokenRow startingRow(const Grid& grid, bool ofClassToken);
/// row · factor; `factor` [T, T] on the host.
TokenRow rowTimes(const TokenRow& row, const at::Tensor& factor);
/// Without the prefix tokens.
std::vector<float> patchScores(const TokenRow& row, const Grid& grid);

/// Goes back until the next block is `layer`. `step` is called after every block.
void goBackTo(ClassGradient& gradient, int layer, const std::function<void()>& step);

/// What must be said of a heatmap of attention: whose row it is, `ofGradient`, signed maps.
std::string attentionNote(bool ofClassToken, const std::string& ofGradient, const ModelInfo& info);

}  // namespace headlight
