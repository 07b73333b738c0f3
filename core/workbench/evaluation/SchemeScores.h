// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What masks do to the scores of a model that has no accuracy of images: average precision, mIoU
// or the loss of rebuilt patches, as evaluate() measures them. No torch type here.

#include <stop_token>
#include <vector>

#include "core/base/Progress.h"
#include "core/workbench/evaluation/MaskEffect.h"

namespace headlight {

/// Whether scores take the place of accuracy: of detectors of cells, segmenters and masked
/// autoencoders.
bool measuresScores(const ModelInfo& info);

/// Each of `schemes` over the same images, on a copy of the model with the weights that the session
/// has when this begins: results without images, but with SchemeResult::scores. Blocks its caller's
/// thread. Errors: those of evaluate(), a scheme of another shape.
Result<std::vector<SchemeResult>> scoreSchemes(InferenceSession& session, const ImageSample& sample,
                                               const std::vector<MaskScheme>& schemes,
                                               const ProgressCallback& progress = {},
                                               std::stop_token stop = {});

}  // namespace headlight
