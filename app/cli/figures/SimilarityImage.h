// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How alike layers look, as one image: a cell a pair, its number below it.

#include <string>

#include "core/workbench/evaluation/LayerSimilarity.h"
#include "core/workbench/session/MapRendering.h"

namespace headlight::cli {

/// Rows and columns are layers from 0, both from the upper left corner. Colors run over all that
/// a cosine can be: 0 to 1 in `colors`, or −1 to 1, diverging, of signed maps; layers that cannot
/// be compared are gray. `head`: −1 is the mean.
Image similarityImage(const LayerSimilarity& similarity, int head, ColorMap colors,
                      const std::string& title);

}  // namespace headlight::cli
