// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a detector found, drawn over the original image. No torch type here.

#include <vector>

#include "core/imaging/drawing/Drawing.h"
#include "core/workbench/session/Objects.h"
#include "core/workbench/session/TrueBoxes.h"

namespace headlight {

/// The same for all objects of a class. `index`: of the class, from 0.
DrawnColor objectColor(int index);

/// The original image with the boxes, names and scores ("cat 93 %") of these objects, best first.
/// Where the model saw a part of the image, boxes are placed from that part. `truth`, if given: the
/// image's true boxes too, dashed, "true: cat", in the color of the model's class of that name.
Image objectFigure(const Image& image, const std::vector<FoundObject>& objects,
                   const ModelInfo& model, const TrueBoxes* truth = nullptr);

/// The same over an image of what the model saw, of any size; `em`: pixels of letters.
Image withObjectBoxes(const Image& view, const std::vector<FoundObject>& objects, int em);

}  // namespace headlight
