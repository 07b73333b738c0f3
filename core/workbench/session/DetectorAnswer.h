// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a detector says of a batch: the numbers of its detection tokens or cells, and the boxes that
// follow from them.

#include <string>
#include <vector>

#include "core/models/backbones/Model.h"
#include "core/workbench/session/Objects.h"

namespace headlight {

struct DetectorAnswer {
  at::Tensor logits, boxes;  ///< as RawInferenceResult's, [B, …]; undefined: it is no detector
  std::vector<std::vector<FoundObject>> objects;  ///< of each image, best first
};

/// `tokens`: what the last block gave for images of the config's size. `names` may be empty.
DetectorAnswer answerOf(Model& model, const at::Tensor& tokens,
                        const std::vector<std::string>& names);

}  // namespace headlight
