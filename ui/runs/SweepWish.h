// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the sweep dialog says, as a value: what it is made of, and the plan that this is.

#include <filesystem>
#include <string>
#include <vector>

#include "core/workbench/sweeps/Sweep.h"

namespace headlight {

struct SweepWish {
  /// The text of a sweep file, and the folder that its paths are relative to; empty: what varies in
  /// `present`.
  std::string file, name;
  std::filesystem::path folder;
  Experiment present;         ///< of the window, with the settings of Train…
  bool presentModel = false;  ///< in place of the file's
  bool presentData = false;   ///< likewise: data, batch, epochs, device, threads
  struct Setting {
    std::string path, values;  ///< one value changes the base, several vary
  };
  std::vector<Setting> settings;
  std::string seeds;  ///< "0,1,2"; empty: the file's
};

/// Not for the window's thread: a thousand variants take a second. Errors: settings that are none,
/// several values of one in a ready sweep, those of reading it.
Result<SweepPlan> planOf(const SweepWish& wish);

}  // namespace headlight
