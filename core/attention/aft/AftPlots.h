// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The plots that AFT alone has: its position biases (Zhai et al. 2021, Fig. 1, 3 and 6 to 8) and
// its keys (Fig. 9 to 12). What they say, and what is drawn of a layer's position bias; a layer's
// keys are drawn as they are.

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "core/attention/base/MechanismPlotSource.h"

namespace headlight {

struct AftConvOptions;

inline constexpr const char* kAftKeysPlot = "keys";

/// The share of each patch in the sum of e^K over all tokens, kAftKeysPlot. `perHead` says what
/// stands for a head.
MechanismPlotInfo aftKeysPlot(const std::string& perHead);

/// For AFT-full and AFT-local: the position bias w and e^w − 1.
std::vector<MechanismPlotInfo> aftBiasPlots();
/// One of them, of w [T, T], −∞ where nothing is connected: [1, T, T], NaN there.
MechanismPlotAnswer aftBiasPlot(const std::string& name, const at::Tensor& bias);

/// For AFT-conv: its kernels w and e^w − 1.
std::vector<MechanismPlotInfo> aftKernelPlots(const AftConvOptions& options);
/// One of them, of w [h, s, s] after Eq. 8 and 10: [h, s, s].
MechanismPlotAnswer aftKernelPlot(const std::string& name, const at::Tensor& bias);

}  // namespace headlight
