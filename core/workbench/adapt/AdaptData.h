// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The images that a classifier is taught by, and those that it is measured on. Core only.

#include <memory>
#include <string>
#include <vector>

#include "core/config/TrainingConfig.h"
#include "core/data/Subset.h"
#include "core/workbench/adapt/NamedImages.h"

namespace headlight {

struct AdaptData {
  std::shared_ptr<const LabeledDataset> fitted;
  std::shared_ptr<const LabeledDataset> held;  ///< null: no image can be spared
  std::vector<std::string> notes;
};

/// The training split of `data`, and its validation split; or of `classes`, unless there are none,
/// a share of each (data.validation_fraction). At most `images` of each split; 0: all. Throws
/// Failure: those of opening a dataset; InvalidArgument for one class, two of one name, a class
/// without images, and data with boxes or segments.
AdaptData openAdaptData(const DataConfig& data, const std::vector<NamedImages>& classes,
                        const struct Experiment& experiment, std::int64_t images);

}  // namespace headlight
