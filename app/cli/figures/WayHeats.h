#pragma once
// The heat of a way of looking that was asked for by flags.

#include <stop_token>
#include <string>

#include "app/cli/figures/AttendPictures.h"
#include "core/config/Parameter.h"
#include "core/workbench/attribution/WaysOfLooking.h"

namespace headlight::cli {

/// Who looks at what.
struct HeatSubject {
  InferenceSession& session;
  const RawImages& picture;
  const MaskScheme& masks;
  Query query;  ///< of similarity
};

/// `way` gives a heat. Throws Failure, naming --query where the layer lacks the token.
Heat heatOfWay(const HeatSubject& subject, const WayInfo& way, const WayOptions& options,
               std::stop_token stop);

/// Title, meaning, values [rows × cols], and of which class and layer, where it is of one.
Json heatJson(const Heat& heat);

/// The way of this name that gives a heat. Throws Failure naming --show that lists them.
const WayInfo& heatFromName(const std::string& name);

}  // namespace headlight::cli
