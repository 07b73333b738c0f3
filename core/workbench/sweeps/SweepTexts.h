// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How numbers are written in a sweep's tables and in its image. Internal.

#include <cstdint>
#include <string>

#include "core/workbench/sweeps/Sweep.h"

namespace headlight {

/// `format`: for printf, of one double.
std::string formatted(const char* format, double value);
/// `format` of a millionth of it.
std::string millions(std::int64_t count, const char* format);
/// "812"; "–" where nothing was measured.
std::string speedText(double perSecond);
/// "1.34", in GB; "–" where nothing was measured.
std::string memoryText(std::int64_t bytes);
/// "bits/dim", "bits/char": of a sweep of sequences.
std::string resultUnit(const SweepPlan& plan);

}  // namespace headlight
