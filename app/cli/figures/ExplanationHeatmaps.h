// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The heat of a way of looking that was asked for by flags.

#include <stop_token>
#include <string>

#include "app/cli/figures/AttendPictures.h"
#include "core/config/Parameter.h"
#include "core/workbench/attribution/Explanations.h"

namespace headlight::cli {

/// Who looks at what.
struct HeatmapSubject {
  InferenceSession& session;
  const RawImages& picture;
  const MaskScheme& masks;
  Query query;  ///< of similarity
};

/// `way` gives a heat. Throws Failure, naming --query where the layer lacks the token.
Heatmap explanationHeatmap(const HeatmapSubject& subject, const ExplanationInfo& way,
                           const ExplanationOptions& options, std::stop_token stop);

/// Title, meaning, values [rows × cols], and of which class and layer, where it is of one.
Json heatJson(const Heatmap& heat);

/// The way of this name that gives a heat. Throws Failure naming --show that lists them.
const ExplanationInfo& heatFromName(const std::string& name);

}  // namespace headlight::cli
