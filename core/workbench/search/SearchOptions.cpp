// SPDX-License-Identifier: GPL-3.0-or-later

// SearchOptions.h: the table of them.

#include "core/workbench/search/SearchOptions.h"

#include "core/masks/HeadMask.h"

namespace headlight {
namespace {

Result<void> checkMask(const std::string& text) {
  const auto mask = headMaskFromText(text);
  if (!mask) return mask.error();
  if (mask->kind == MaskKind::None || mask->kind == MaskKind::Soft)
    return Error{ErrorCode::InvalidConfig,
                 "must be a hard, strict or random mask, such as hard:3; soft masks find by "
                 "themselves how much they mask",
                 ""};
  return {};
}

}  // namespace

const ParameterTable& searchParameters() {
  using S = SearchOptions;
  static const ParameterTable table =
      TableBuilder<S>()
          .choice(&S::method, "method", {"mait", "greedy", "random", "harden"},
                  "MaiT's quick search by attention locality (its §4.3); heads of least importance "
                  "first; masks dealt out at random as a control; or soft masks that became small "
                  "made hard.")
          .spelled(&S::mask, "set", checkMask, "The mask that a masked head gets.")
          .number(&S::allAbove, "all_above", 0, 1,
                  "MaiT, assignment: where the ALS of head 0 is above, all heads of its layer are "
                  "masked.")
          .number(&S::removeBelow, "remove_below", 0, 1,
                  "MaiT, assignment: where it is below, the layer's mask is removed; between the "
                  "two it stays.")
          .number(&S::calibrateBelow, "calibrate_below", 0, 1,
                  "MaiT, calibration: masked heads with an ALS below lose their mask.")
          .integer(&S::initialEpochs, "initial_epochs", 0, 1e6,
                   "MaiT: epochs of the first round, head 0 of every layer masked; 0 means as "
                   "training.epochs says.")
          .integer(&S::assignedEpochs, "assigned_epochs", 0, 1e6,
                   "MaiT: epochs of the second round, with the assigned masks; 0 means as "
                   "training.epochs says.")
          .integer(&S::finalEpochs, "final_epochs", 0, 1e6,
                   "MaiT: epochs of a third round, with the scheme that was found; 0 means none.")
          .boolean(&S::fromScratch, "from_scratch",
                   "MaiT: every round begins anew in place of going on from the weights of the one "
                   "before.")
          .integer(&S::pictures, "pictures", 0, 1e9,
                   "Pictures of the validation split that heads are measured on; 0 means all.")
          .boolean(&S::firstOrder, "first_order",
                   "Greedy: importance from gradients, one pass for all heads, in place of one "
                   "pass a head.")
          .number(&S::accuracyLoss, "accuracy_loss", 0, 100,
                  "Greedy: top-1 that may be lost, in percentage points.")
          .number(&S::macSaving, "mac_saving", 0, 100,
                  "Greedy: ends when so much is saved, in per cent of the multiply-accumulates of "
                  "the unmasked model.")
          .number(&S::alphaBelow, "alpha_below", 0, 1,
                  "Harden: soft heads whose learned alpha is below become hard, with their window.")
          .integer(&S::schemes, "schemes", 1, 1000,
                   "Random: schemes with as many multiply-accumulates as the given one.")
          .build();
  return table;
}

}  // namespace headlight
