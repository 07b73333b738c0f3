// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Images of a sample by their index, to be shown. No torch type here.

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/imaging/codecs/Image.h"
#include "core/workbench/evaluation/ImageSample.h"
#include "core/workbench/session/InferenceSession.h"

namespace headlight {

/// The images at `indices` (ImageVerdict::index) of the sample, as the dataset has them; an
/// empty one for each that cannot be read. Errors: those of opening a dataset, Canceled.
Result<std::vector<Image>> sampleImages(const ModelInfo& info, const ImageSample& sample,
                                        const std::vector<std::int64_t>& indices,
                                        std::stop_token stop = {});

}  // namespace headlight
