// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// α of soft masks over the steps of a run, as lines.

#include <vector>

#include "ui/plots/ReadingTracks.h"

namespace headlight {

/// The layers that had a soft head at some step, in order.
std::vector<int> softLayers(const HeadHistory& history);
/// `layer` −1: a line per layer with soft heads ("L3"), the mean over them; else a line per head
/// that was soft ("head 1"). NaN, a gap, at steps at which it was not.
std::vector<ReadingLine> alphaLines(const HeadHistory& history, int layer);

}  // namespace headlight
