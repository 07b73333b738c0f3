// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Pictures of a sample by their index, to be shown. No torch type here.

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/imaging/codecs/Image.h"
#include "core/workbench/evaluation/PictureSample.h"
#include "core/workbench/session/InferenceSession.h"

namespace headlight {

/// The pictures at `indices` (PictureVerdict::index) of the sample, as the data set has them; an
/// empty one for each that cannot be read. Errors: those of opening a data set, Canceled.
Result<std::vector<Image>> samplePictures(const ModelInfo& info, const PictureSample& sample,
                                          const std::vector<std::int64_t>& indices,
                                          std::stop_token stop = {});

}  // namespace headlight
