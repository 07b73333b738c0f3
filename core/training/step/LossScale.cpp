// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/step/LossScale.h"

#include <algorithm>

namespace headlight {

bool LossScale::takesStep(bool finite) {
  if (!m_on) return true;
  if (!finite) {
    if (m_state.scale <= kLeast) return true;
    m_state.scale = std::max(kLeast, m_state.scale / 2);
    m_state.goodSteps = 0;
    ++m_state.skipped;
    return false;
  }
  if (++m_state.goodSteps == kGrowsAfter) {
    m_state.scale = std::min(kGreatest, m_state.scale * 2);
    m_state.goodSteps = 0;
  }
  return true;
}

}  // namespace headlight
