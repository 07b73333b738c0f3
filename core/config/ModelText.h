// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A model's blocks in words, the same in every program.

#include <string>

#include "core/config/ModelConfig.h"

namespace headlight {

/// "12 layers x 3 heads, width 192"; of stages "2+2+6+2 layers x 3+6+12+24 heads, width
/// 96+192+384+768".
std::string blocksText(const ModelConfig& model);

}  // namespace headlight
