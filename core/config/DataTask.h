// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What can be learned from a kind of dataset.

#include <string>

#include "core/config/DatasetKinds.h"
#include "core/config/Tasks.h"

namespace headlight {

/// Boxes, classes of pixels or, of all others and of no kind, classes of images.
inline Task dataTask(const std::string& dataset) {
  if (hasBoxes(dataset)) return Task::Detect;
  return hasSegments(dataset) ? Task::Segment : Task::Classify;
}

}  // namespace headlight
