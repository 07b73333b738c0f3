// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace headlight {

/// A running mean over optimizer steps. Past values lose weight with every step, not with every
/// value: a log that kept every eighth step is smoothed over as many steps as a run that is watched.
class StepAverage {
 public:
  /// `past`: the share of the past in the mean after one step, in (0, 1).
  explicit StepAverage(double past) : m_past(past) {}

  /// The mean with this value, which is finite. Steps must not decrease.
  double add(double step, double value);
  void clear() { *this = StepAverage(m_past); }

 private:
  double m_past;
  double m_step = 0;
  double m_mean = 0, m_weight = 0;  ///< bias-corrected: the mean is m_mean / m_weight
};

}  // namespace headlight
