// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// An edit of a mask scheme as a value with an inverse. The window's undo stack, the trainer's
// command queue, a run's log and an exported config hold this same type.

#include <string>
#include <vector>

#include "core/base/Result.h"
#include "core/masks/HeadPlace.h"
#include "core/masks/MaskScheme.h"

namespace headlight {

struct MaskChange {
  int layer = 0;
  int head = 0;
  HeadMask before;
  HeadMask after;
  bool operator==(const MaskChange&) const = default;
};

struct MaskEdit {
  std::string label;  ///< for the undo menu: "hard 3×3 on layer 2"
  std::vector<MaskChange> changes;
  std::string nameBefore, nameAfter;  ///< of the scheme

  MaskEdit inverse() const;
  bool empty() const { return changes.empty(); }
  bool operator==(const MaskEdit&) const = default;
};

/// Sets one mask on several cells, whose counts of resets stay theirs; cells that have it already
/// are left out. Errors: a cell that does not exist.
Result<MaskEdit> makeMaskEdit(const MaskScheme& scheme, const std::vector<HeadPlace>& cells,
                              const HeadMask& mask, const std::string& label);

/// What turns `from` into `to`, but for counts of resets: no head loses what it learned. Errors:
/// different shapes.
Result<MaskEdit> makeMaskEdit(const MaskScheme& from, const MaskScheme& to,
                              const std::string& label);

/// The soft masks among `cells` learn anew, from their α; the inverse brings back what they had
/// learned. Empty where none is soft. Errors: a cell that does not exist.
Result<MaskEdit> makeResetEdit(const MaskScheme& scheme, const std::vector<HeadPlace>& cells,
                               const std::string& label);

/// All changes or none. Errors: a cell that does not exist. `before` is not checked against the
/// scheme: a replayed edit means "set to after".
Result<void> applyMaskEdit(MaskScheme& scheme, const MaskEdit& edit);

}  // namespace headlight
