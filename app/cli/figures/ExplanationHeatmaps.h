// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The heatmap of an explanation that was asked for by flags.

#include <stop_token>
#include <string>

#include "app/cli/figures/AttendImages.h"
#include "core/config/Parameter.h"
#include "core/workbench/attribution/Explanations.h"

namespace headlight::cli {

/// Who looks at what.
struct HeatmapSubject {
  InferenceSession& session;
  const RawImages& image;
  const MaskScheme& masks;
  Query query;  ///< of methods of a token
};

/// `method` is a heatmap. Throws Failure, naming --query where the layer lacks the token.
Heatmap explanationHeatmap(const HeatmapSubject& subject, const ExplanationInfo& method,
                           const ExplanationOptions& options, std::stop_token stop);

/// The names of the heatmaps of a class, for messages and help.
std::string classHeatmapNames();

/// Title, meaning, values [rows × cols], and of which class and layer, where it is of one; of a
/// marked object its box.
Json heatmapJson(const Heatmap& heatmap);

/// The method of this name that is a heatmap. Throws Failure naming --show that lists them.
const ExplanationInfo& heatmapFromName(const std::string& name);

}  // namespace headlight::cli
