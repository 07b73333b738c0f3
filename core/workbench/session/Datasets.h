// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Datasets, for programs: the gallery and the data dialog.

#include "core/config/TrainingConfig.h"
#include "core/data/Batches.h"
#include "core/data/DataNotes.h"
#include "core/data/Dataset.h"
#include "core/data/Export.h"
#include "core/data/ImageFiles.h"

namespace headlight {

/// The DatasetSpec that the `data` section describes for a model of this image size.
DatasetSpec makeDatasetSpec(const DataConfig& data, int imageSize, std::int64_t seed);

}  // namespace headlight
