// SPDX-License-Identifier: GPL-3.0-or-later

// SearchOptions.h: the table of them.

#include "core/workbench/search/SearchOptions.h"

#include "core/base/Translation.h"
#include "core/masks/HeadMask.h"

namespace headlight {
namespace {

Result<void> checkMask(const std::string& text) {
  const auto mask = headMaskFromText(text);
  if (!mask) return mask.error();
  if (mask->kind == MaskKind::None || mask->kind == MaskKind::Soft || mask->kind == MaskKind::Decay)
    return Error{ErrorCode::InvalidConfig,
                 tr("must be a hard, strict or random mask, such as hard:3; soft masks learn their "
                    "strength and need no search, and a decay has nothing inside"),
                 ""};
  return {};
}

}  // namespace

const ParameterTable& searchParameters() {
  using S = SearchOptions;
  static const ParameterTable table =
      TableBuilder<S>()
          .choice(&S::method, "method", {"mait", "greedy", "random", "harden"},
                  "Search method: MaiT's quick search by attention locality (its §4.3); greedy, "
                  "least important heads first; random masks as a control; or harden, which turns "
                  "small soft masks into hard ones.")
          .spelled(&S::mask, "set", checkMask, "Mask for masked heads.")
          .number(
              &S::allAbove, "all_above", 0, 1,
              "MaiT, assignment: if the ALS of head 0 is above this, mask all heads of its layer.")
          .number(&S::removeBelow, "remove_below", 0, 1,
                  "MaiT, assignment: if it is below this, remove the layer's mask; between the "
                  "two, keep it.")
          .number(&S::calibrateBelow, "calibrate_below", 0, 1,
                  "MaiT, calibration: unmask masked heads with an ALS below this.")
          .integer(&S::initialEpochs, "initial_epochs", 0, 1e6,
                   "MaiT: epochs of the first round, with head 0 of every layer masked; 0: as "
                   "training.epochs.")
          .integer(
              &S::assignedEpochs, "assigned_epochs", 0, 1e6,
              "MaiT: epochs of the second round, with the assigned masks; 0: as training.epochs.")
          .integer(&S::finalEpochs, "final_epochs", 0, 1e6,
                   "MaiT: epochs of a third round, with the final scheme; 0: none.")
          .boolean(&S::fromScratch, "from_scratch",
                   "MaiT: start every round from scratch instead of from the weights of the "
                   "previous round.")
          .integer(&S::images, "images", 0, 1e9,
                   "Number of validation images to measure heads on; 0: all.")
          .formerly("pictures")
          .boolean(
              &S::firstOrder, "first_order",
              "Greedy: importance from gradients, one pass for all heads instead of one per head.")
          .number(&S::accuracyLoss, "accuracy_loss", 0, 100,
                  "Greedy: maximum loss of top-1, in percentage points.")
          .number(&S::macSaving, "mac_saving", 0, 100,
                  "Greedy: stop at this saving, in percent of the unmasked model's "
                  "multiply-accumulates.")
          .number(&S::alphaBelow, "alpha_below", 0, 1,
                  "Harden: make soft heads hard, with the same window, if their learned alpha is "
                  "below this.")
          .integer(&S::schemes, "schemes", 1, 1000,
                   "Random: number of schemes with as many multiply-accumulates as the given one.")
          .build();
  return table;
}

}  // namespace headlight
