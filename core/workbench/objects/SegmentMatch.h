// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The marked patches of an image beside the true classes of its pixels. Label images do not tell
// objects of one class apart, and say not which class is background: all pixels of a class are one
// true object, every class is one, and what is found is compared with the class that it fits best.
// No torch type here.

#include <string>
#include <vector>

#include "core/analysis/boxes/LabeledBox.h"
#include "core/imaging/ClassImage.h"
#include "core/masks/Grid.h"
#include "core/workbench/loading/ModelInfo.h"

namespace headlight {

/// Around the pixels of each class that occurs, in the order of the classes; `area`: its pixels.
LabeledBoxes boxesOfClasses(const ClassImage& truth);

/// The class whose pixels overlap most with the marked patches.
struct TrueClassMatch {
  double overlap = 0;  ///< IoU in [0, 1]
  int label = -1;      ///< −1: no class is known
};

/// `marked`: [rows · cols], 1 for patches of the object. Over all pixels of the image that have a
/// class, also where the model did not look: there nothing is marked. Ties: the first class.
TrueClassMatch bestTrueClass(const std::vector<char>& marked, const Grid& grid,
                             const ClassImage& truth, const ModelConfig& model);

/// "mask IoU 0.41 with sky"; empty where no class is known. `names`: of the dataset's classes.
std::string maskMatchText(const TrueClassMatch& match, const std::vector<std::string>& names);

}  // namespace headlight
