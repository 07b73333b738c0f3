// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Mean attention by relative position (AFT, Zhai et al. 2021, Fig. 1), of every layer and head,
// averaged over images. No torch type here; blocks its caller's thread.

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core/analysis/RelativeMap.h"
#include "core/base/Progress.h"
#include "core/base/Result.h"
#include "core/masks/MaskScheme.h"
#include "core/workbench/evaluation/ImageSource.h"
#include "core/workbench/session/InferenceSession.h"
#include "core/workbench/session/RawTensors.h"

namespace headlight {

/// What colors run over.
enum class RelativeScale {
  FromZero,   ///< nothing is negative
  AboutZero,  ///< signed
  AboutOne,   ///< ratios: as far above 1 as below it, in powers
};

struct RelativeMaps {
  std::string title;    ///< what the numbers are: "mean attention by offset"
  std::string meaning;  ///< what a map is for this mechanism, in words
  RelativeScale scale = RelativeScale::FromZero;
  std::vector<RelativeLayer> layers;  ///< every layer
  SourceCount fed;                    ///< averaged over
};

/// For every mechanism that has maps, and for maps without a model. On a copy of the model, with
/// the weights that the session has when this begins, so that the session stays free; maps alone
/// are read through the session. The maps of one layer of one image are held at a time. Errors:
/// those of eachSourceImage(), a scheme of another shape, no memory.
Result<RelativeMaps> measureRelative(InferenceSession& session, const ImageSource& feed,
                                     const MaskScheme& masks, const ProgressCallback& progress = {},
                                     std::stop_token stop = {});

/// layer,head,row,column,value: a line for every offset of every head.
std::string relativeCsv(const RelativeMaps& maps);
/// `NAME.L` [H, 2g − 1, 2g′ − 1] of every layer.
std::vector<RawArray> relativeArrays(const RelativeMaps& maps, const std::string& name);

}  // namespace headlight
