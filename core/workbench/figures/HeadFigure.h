// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Every head by depth, in one figure: how far, how widely or how locally it looks (Dosovitskiy et
// al. 2021, Fig. 7). No torch type here.

#include <filesystem>
#include <string>

#include "core/imaging/codecs/Image.h"
#include "core/workbench/evaluation/HeadMetrics.h"

namespace headlight {

/// "layer,head,value,deviation,chance" and a row a head; nothing stands where there is no number.
std::string headValuesCsv(const HeadValues& values);

/// Whether writeHeadFigure knows what to write; InvalidArgument.
Result<void> checkHeadFigureName(const std::filesystem::path& path);

/// A dot a head at its layer, with its deviation over images where that is known, the mean of
/// each layer's heads and what chance would give. .pdf or .svg with real text, .png at twice the
/// size, or the numbers as .csv. Errors: another name, a file that cannot be written.
Result<void> writeHeadFigure(const std::filesystem::path& path, const HeadValues& values);

/// The same to be looked at, `scale` pixels a point, on white.
Result<Image> headFigure(const HeadValues& values, double scale);

}  // namespace headlight
