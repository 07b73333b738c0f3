// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a dataset says of an image: its true boxes, or the true class of every pixel.

#include <algorithm>
#include <string>
#include <vector>

#include "core/workbench/session/Datasets.h"

namespace headlight {

struct KnownTruth {
  LabeledBoxes boxes;                   ///< in pixels of the whole image
  std::vector<std::string> classNames;  ///< of the dataset, by label
  ClassImage segments = {};             ///< of the image's size; empty: the dataset has none
};

/// The class that the model calls as the dataset calls `label`; else `label` itself.
inline int modelClassOf(int label, const KnownTruth& truth, const std::vector<std::string>& names) {
  const auto at = static_cast<std::size_t>(label);
  if (at >= truth.classNames.size()) return label;
  const auto found = std::find(names.begin(), names.end(), truth.classNames[at]);
  return found == names.end() ? label : static_cast<int>(found - names.begin());
}

}  // namespace headlight
