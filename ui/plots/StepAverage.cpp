// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/StepAverage.h"

#include <algorithm>
#include <cmath>

namespace headlight {

double StepAverage::add(double step, double value) {
  const double steps = m_weight > 0 ? std::max(1.0, step - m_step) : 1;
  const double past = std::pow(m_past, steps);
  m_step = step;
  m_mean = past * m_mean + (1 - past) * value;
  m_weight = past * m_weight + (1 - past);
  return m_mean / m_weight;
}

}  // namespace headlight
