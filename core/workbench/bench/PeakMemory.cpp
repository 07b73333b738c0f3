// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/bench/PeakMemory.h"

#include <algorithm>

#include "core/base/ResidentMemory.h"

namespace headlight {

std::int64_t measurePeakBytes(const std::function<void()>& body) {
  const bool anew = restartPeakResident();
  const std::int64_t before = residentBytes();
  body();
  return anew ? std::max<std::int64_t>(0, peakResidentBytes() - before) : 0;
}

}  // namespace headlight
