// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Images whose classes a list says (labels/PlaceLists.h); a training split of class folders may go
// with a validation split of a list, as ImageNet has them.

#include <memory>

#include "core/data/Subset.h"
#include "core/data/labels/PlaceLists.h"

namespace headlight {

/// Classes are the training split's labels in natural order; where they are numbers and the place
/// has a file of names, those. Splits that share no class (few-shot learning's) are put together
/// and shared out, which is said. Failures: InvalidFile (a single class, a class in validation
/// alone), NotFound (no training split).
OpenedSource openImageLists(std::shared_ptr<const FilePlace> place, PlaceLists lists, Split split);

}  // namespace headlight
