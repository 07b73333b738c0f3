// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The options that say which sweep: a file, or an experiment and what varies in it.

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "core/workbench/sweeps/Sweep.h"

namespace headlight::cli {

class SweepDesigning {
 public:
  /// SWEEP, --vary, --seeds, --save.
  void declare(CLI::App& command);
  /// Throws Failure: none is named, a file that is wrong, values that are no parameter's.
  SweepPlan plan(const ChangeBase& change) const;
  /// The folder of a sweep where that is what was named; else empty.
  std::string folder() const;
  /// Writes it to --save; false where that was not given. Throws Failure.
  bool save(const SweepPlan& plan) const;
  const std::string& saved() const { return m_save; }

 private:
  SweepPlan designed(const ChangeBase& change) const;

  std::string m_file, m_seeds, m_save;
  std::vector<std::string> m_vary;
};

}  // namespace headlight::cli
