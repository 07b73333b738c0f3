// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Objects found without labels, in words and as JSON.

#include "app/cli/terminal/Terminal.h"
#include "core/workbench/objects/Localization.h"
#include "core/workbench/objects/SegmentMatch.h"
#include "core/workbench/session/TrueBoxes.h"

namespace headlight::cli {

/// An object in an image of this size, in pixels; `truth` null: not known.
struct ReportedObject {
  std::string name;
  const DiscoveredObject& found;
  BoxSides pixels{};
  const TrueBoxes* truth = nullptr;
  TrueClassMatch mask = {};  ///< where true segments are known; `truth` is then of their classes

  TrueBoxMatch match() const { return truth ? bestTrueBox(pixels, truth->boxes) : TrueBoxMatch(); }
};

/// "TokenCut, keys of layer 11", with what must be said of it.
std::string discoveryTitle(const DiscoveredObject& found, const ObjectOptions& options);

/// image, rows, cols, layer, mask, scores, seed, box in pixels; IoU where true boxes are known,
/// that of the mask where true segments are.
Json discoveryJson(const ReportedObject& object);
void printDiscovery(const ReportedObject& object, Terminal& terminal);

Json localizationJson(const Localization& localization);
/// CorLoc with its interval, and a line for each image.
void printLocalization(const Localization& localization, Terminal& terminal);

}  // namespace headlight::cli
