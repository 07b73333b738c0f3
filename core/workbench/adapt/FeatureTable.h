// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Features of all images of a dataset: those that are kept, and the others computed. Torch types:
// core only.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/Progress.h"
#include "core/data/Subset.h"
#include "core/workbench/adapt/FeatureReader.h"
#include "core/workbench/adapt/FeatureStore.h"

namespace headlight {

/// A row an image that can be read, in the order of the dataset.
struct FeatureTable {
  at::Tensor records;  ///< [N, width], float32
  std::vector<int> labels;
  std::vector<std::int64_t> indices;  ///< in the dataset
  std::vector<SkippedFile> skipped;
  std::int64_t computed = 0;  ///< images that went through the model
};

struct FeatureWork {
  const ProgressCallback& progress;
  std::stop_token stop;
  int loaderThreads = 1;
};

/// What is computed is kept batch by batch. Throws Failure: Canceled, what the loader says, no
/// memory for the table.
FeatureTable readFeatures(FeatureReader& reader,
                          const std::shared_ptr<const LabeledDataset>& dataset, FeatureStore& store,
                          const FeatureWork& work);

}  // namespace headlight
