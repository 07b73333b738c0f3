// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Whether a dataset is the one that a model was trained on.

#include "core/config/TrainingConfig.h"
#include "core/workbench/loading/ModelInfo.h"

namespace headlight {

/// As far as the model's Experiment, or the one that its weights carry, says. A place without a
/// validation split then has one: what the training kept back. Of other data all is measured.
bool trainedOn(const ModelInfo& info, const DataConfig& data);

/// Whether two paths are one place, as far as the system can say.
bool isSamePlace(const std::string& a, const std::string& b);

}  // namespace headlight
