// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Image files with boxes: COCO's folders (CocoFolder.h) and Pascal VOC's (VocFolder.h). A sample
// whose image has another size than its annotations say is an error of that sample.

#include "core/data/Subset.h"

namespace headlight {

Result<OpenedSource> openCoco(const DatasetSpec& spec, Split split);
Result<OpenedSource> openVoc(const DatasetSpec& spec, Split split);

}  // namespace headlight
