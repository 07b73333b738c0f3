// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The comparison side by side, as chosen: a value that a session keeps.

#include <QString>

#include <array>
#include <optional>

#include "core/base/Result.h"
#include "core/config/Parameter.h"

namespace headlight {

/// The masks of a side.
enum class SideMasks {
  Present,  ///< the window's, edits included
  /// What the Masks menu compares with: by default those before the last edit; none while there was
  /// no edit.
  Reference,
  Unmasked,
  Own,   ///< as the side's model came with
  Named  ///< a scheme by name, or a file
};

struct CompareSide {
  QString model;  ///< a checkpoint, a config or a published name; empty: the window's model
  SideMasks masks = SideMasks::Present;
  QString scheme;  ///< Named: as --masks takes it
  QString image;   ///< as ImageBridge::loadImage takes it; empty: the window's
  bool operator==(const CompareSide&) const = default;
};

/// The layer, head and token of a side that is not linked, as ViewOptions counts.
struct CompareSidePlace {
  int layer = 0, head = -1, query = 0;
  bool operator==(const CompareSidePlace&) const = default;
};

struct Comparison {
  std::array<CompareSide, 2> sides{CompareSide{{}, SideMasks::Reference, {}, {}},
                                   CompareSide{}};  ///< left, right
  bool linked = true;                               ///< one layer, head and token for both
  std::optional<CompareSidePlace> place;            ///< unlinked: the left side's own
  bool difference = true;                           ///< right − left is shown
  /// The explanation that the view names is shown in place of attention.
  bool otherExplanation = false;
  bool operator==(const Comparison&) const = default;
};

Json comparisonToJson(const Comparison& comparison);
/// Keys that are missing keep their default. Errors name the JSON path below "compare".
Result<Comparison> comparisonFromJson(const Json& json);

}  // namespace headlight
