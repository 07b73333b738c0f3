// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What stands side by side, as a person chose it: a value that a session keeps.

#include <QString>

#include <array>
#include <optional>

#include "core/base/Result.h"
#include "core/config/Parameter.h"

namespace headlight {

/// Under which masks a side is looked at.
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
  QString scheme;   ///< Named: as --masks takes it
  QString picture;  ///< as ImageBridge::loadImage takes it; empty: the window's
  bool operator==(const CompareSide&) const = default;
};

/// Where a side looks that is not linked, as ViewOptions counts.
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
  /// The other way of looking that the view names, in place of attention.
  bool otherExplanation = false;
  bool operator==(const Comparison&) const = default;
};

Json comparisonToJson(const Comparison& comparison);
/// Keys that are missing keep their default. Errors name the JSON path below "compare".
Result<Comparison> comparisonFromJson(const Json& json);

}  // namespace headlight
