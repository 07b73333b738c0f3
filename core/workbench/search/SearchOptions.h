// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a search for a mask scheme goes by. No torch type here.

#include <cstdint>
#include <string>

#include "core/config/Parameter.h"

namespace headlight {

struct SearchOptions {
  std::string method = "mait";      ///< mait | greedy | random | harden
  std::string mask = "hard:3";      ///< that a masked head gets
  double allAbove = 0.65;           ///< MaiT's assignment
  double removeBelow = 0.35;        ///< MaiT's assignment
  double calibrateBelow = 0.35;     ///< MaiT's calibration
  std::int64_t initialEpochs = 0;   ///< MaiT: of the first round; 0: as training.epochs
  std::int64_t assignedEpochs = 0;  ///< MaiT: of the second round; 0: as training.epochs
  std::int64_t finalEpochs = 0;     ///< MaiT: of training with the found scheme; 0: none
  bool fromScratch = false;   ///< MaiT: rounds do not go on from the weights of the one before
  std::int64_t images = 512;  ///< that is measured on; 0: all of the validation split
  bool firstOrder = false;    ///< greedy: importance from gradients
  double accuracyLoss = 1;    ///< greedy: top-1 that may be lost, in percentage points
  double macSaving = 100;     ///< greedy: enough is saved, in per cent of the unmasked model
  double alphaBelow = 0.1;    ///< harden: soft heads that learned less become hard
  std::int64_t schemes = 5;   ///< random: how many
};

/// For flags, the form, JSON and the checks.
const ParameterTable& searchParameters();

}  // namespace headlight
