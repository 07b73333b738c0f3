// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The sweep dialog's settings as a value, and the plan that follows from them.

#include <filesystem>
#include <string>
#include <vector>

#include "core/workbench/sweeps/Sweep.h"

namespace headlight {

struct SweepWish {
  /// The text of a sweep file and the folder of its relative paths; empty: vary `present`.
  std::string file, name;
  std::filesystem::path folder;
  Experiment present;         ///< the window's, with the settings of Train…
  bool presentModel = false;  ///< in place of the file's
  bool presentData = false;   ///< likewise: data, batch, epochs, device, threads
  struct Setting {
    std::string path, values;  ///< one value changes the base, several vary
  };
  std::vector<Setting> settings;
  std::string seeds;  ///< "0,1,2"; empty: the file's
};

/// Not for the window's thread: a thousand variants take a second. Errors: unknown settings,
/// several values of one setting in a ready-made sweep, and those of reading it.
Result<SweepPlan> makeSweepPlan(const SweepWish& wish);

}  // namespace headlight
