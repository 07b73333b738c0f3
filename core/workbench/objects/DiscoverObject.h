// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which patches of an image are an object, by what one layer of a model makes of them: without
// labels, and without a classifier. Methods: AttentionMass.h (DINO), LostRegion.h (LOST) and
// NormalizedCut.h (TokenCut). No torch type here. It blocks its caller's thread.

#include <stop_token>
#include <string>
#include <vector>

#include "core/workbench/objects/ObjectMatch.h"
#include "core/workbench/objects/ObjectOptions.h"
#include "core/workbench/session/InferenceSession.h"
#include "core/workbench/session/RawTensors.h"

namespace headlight {

struct DiscoveredObject {
  Grid grid;      ///< of the layer
  int layer = 0;  ///< from 0
  PatchRegion region;
  /// Of dino: the mask of every head by itself, [head][rows · cols]; else empty.
  std::vector<std::vector<char>> heads;
  std::string note;  ///< what must be said of it; may be empty

  BoxSides box() const { return boxOfPatches(region.box, grid); }
};

/// Under `masks`. Errors: options out of range; a layer or head that there is not; a mechanism or
/// backbone whose attention does not compare every patch by its own queries and keys, or does not
/// say its values (`feature` tokens works for all); an image of another size; no attention;
/// NotFound where there is no object to be found in this image; NaN; Canceled.
Result<DiscoveredObject> discoverObject(InferenceSession& session, const RawImages& image,
                                        const MaskScheme& masks, const ObjectOptions& options = {},
                                        std::stop_token stop = {});

}  // namespace headlight
