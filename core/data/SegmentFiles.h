// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Image files with label images: ADE20K (Ade20kFolder.h), Cityscapes (CityscapesFolder.h) and any
// folder with a table of classes (SegmentFolder.h). A sample whose label image has another size, or
// a number that no class has, is an error of that sample.

#include "core/data/Subset.h"

namespace headlight {

Result<OpenedSource> openAde20k(const DatasetSpec& spec, Split split);
Result<OpenedSource> openCityscapes(const DatasetSpec& spec, Split split);
Result<OpenedSource> openSegmentFolder(const DatasetSpec& spec, Split split);

}  // namespace headlight
