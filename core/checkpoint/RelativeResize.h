// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Tables of relative positions of a file on the grid of a model. Internal.

#include "core/checkpoint/PositionResize.h"

namespace headlight {

/// "relative_position_bias_table" as the last part of a name.
bool isRelativeTable(const std::string& name);

/// `file` [S² + 3, H] → `model` [(2·rows − 1)(2·cols − 1) + 3, H] of the layout's grid (BEiT's), as
/// timm's resize_rel_pos_bias_table does: the file's offsets are stretched along both sides in
/// steps that grow by a constant ratio (BEiT, Bao et al. 2022), and values between them are linear.
/// The last three rows, of the class token, are kept. Nothing if that cannot be done.
std::optional<ResizedPositions> resizeRelativeTable(const at::Tensor& file, const at::Tensor& model,
                                                    const PositionLayout& layout);

}  // namespace headlight
