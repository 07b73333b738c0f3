// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The plots that IBiT's learned mask alone has: the mask as a whole (IBiT, §6.1, Fig. 6 and 8) and
// the filter that it is.

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "core/attention/base/MechanismPlotSource.h"
#include "core/masks/Grid.h"

namespace headlight {

/// `placement`: as LearnedMaskOptions has it.
std::vector<MechanismPlotInfo> learnedMaskPlots(const std::string& placement);
/// One of them, of W over patches [H, N, N] of `grid`: W itself, or its mean by offset
/// [H, 2·rows − 1, 2·cols − 1].
MechanismPlotAnswer learnedMaskPlot(const std::string& name, const at::Tensor& patches,
                                    const Grid& grid);

}  // namespace headlight
