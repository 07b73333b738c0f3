// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Steps of a run as epochs or as minutes, by what its logs say.

#include <string>
#include <utility>
#include <vector>

#include "core/workbench/runs/RunCurves.h"

namespace headlight {

class RunClock {
 public:
  /// `axis`: Epoch or Time.
  RunClock(const RunHistory& history, RunAxis axis);

  bool isEmpty() const { return m_knots.size() < 2; }
  std::string whyEmpty() const;
  /// NaN where it is not known: time after the last epoch that has ended.
  double at(double step) const;
  std::string whyEnds() const;

 private:
  std::vector<std::pair<double, double>> m_knots;  ///< step and what it is there, from (0, 0) on
  bool m_isTime;
};

}  // namespace headlight
