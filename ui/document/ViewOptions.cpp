// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/ViewOptions.h"

namespace headlight {

bool ViewOptions::operator==(const ViewOptions& other) const {
  return layer == other.layer && head == other.head && query == other.query &&
         style == other.style && dim == other.dim && opacity == other.opacity &&
         colorMap == other.colorMap && smooth == other.smooth && sharedRange == other.sharedRange &&
         stepScale == other.stepScale && showOverlay == other.showOverlay &&
         maskOutline == other.maskOutline && objectBoxes == other.objectBoxes &&
         objectThreshold == other.objectThreshold && trueBoxes == other.trueBoxes &&
         segmentOpacity == other.segmentOpacity && segmentQuery == other.segmentQuery &&
         decoderLayer == other.decoderLayer && paintsOnClick == other.paintsOnClick &&
         rollout.fusion == other.rollout.fusion &&
         rollout.discardRatio == other.rollout.discardRatio && learned == other.learned &&
         method == other.method;
}

double& overlayStrength(ViewOptions& view) {
  const bool overlay = styleOf(view.style, !view.learned.empty()) == MapStyle::Overlay;
  return overlay ? view.opacity : view.dim;
}

}  // namespace headlight
