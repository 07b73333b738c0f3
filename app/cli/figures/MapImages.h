// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A map over what the model saw, as every command draws it.

#include <string>
#include <vector>

#include "app/cli/options/ImageStyle.h"
#include "core/workbench/session/Images.h"
#include "core/workbench/session/InferenceSession.h"
#include "core/workbench/session/MapRendering.h"

namespace headlight::cli {

/// "0.001 to 0.12".
std::string rangeText(const ValueRange& range);
/// `text`, and behind it what must be said of how a map is drawn.
std::string withNote(const std::string& text, const DrawnMap& drawn);

/// What the model saw at `width` pixels, its sides' ratio kept.
Image scaledView(const InferenceResult& inference, int width);
/// The map, [rows × cols], over `ground`.
Image imageUnder(const Image& ground, const std::vector<float>& values, int rows, int cols,
                 const DrawnMap& drawn, const ImageStyle& style, bool smooth);

}  // namespace headlight::cli
