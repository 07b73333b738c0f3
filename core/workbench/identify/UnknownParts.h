// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Tensors of a file that a recognized model does not have and does not need for its features.
// Internal to core/workbench.

#include <string>
#include <vector>

namespace headlight {

/// Removes from `unexpected` the tensors of a head that is not known here (a Linear replaced by a
/// Sequential) and of what only a training needs (MAE's decoder, a predictor, a queue), and returns
/// what is to be said of them. `headless`: the model was recognized without a classifier.
std::vector<std::string> leaveUnknownParts(std::vector<std::string>& unexpected, bool headless);

}  // namespace headlight
