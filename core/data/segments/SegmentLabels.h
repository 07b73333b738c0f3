// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// From a label image to a class for every pixel.

#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/Result.h"
#include "core/data/segments/SegmentClasses.h"
#include "core/imaging/ClassImage.h"

namespace headlight {

/// A PNG of numbers (IndexPng.h), or of colors where the classes have colors, for an image of width
/// × height pixels. `orientation`: EXIF's, which has turned the image; a label image of the pixels
/// as stored turns with them, one of the upright image's size alone stays. Its size is compared
/// before it is decoded. Throws Failure: InvalidFile (another
/// size than the image's, a number or a color that no class has, which says where; damaged),
/// UnsupportedFile (colors without a table of them, other kinds).
ClassImage segmentsFromPng(std::string_view bytes, const std::string& where,
                           const SegmentClasses& classes, int width, int height,
                           int orientation = 1);
/// The same of a file.
Result<ClassImage> readSegments(const std::filesystem::path& path, const SegmentClasses& classes,
                                int width, int height, int orientation = 1);

/// Classes of pixels as stored, turned as the pixels are.
ClassImage uprightClasses(ClassImage stored, int orientation);

}  // namespace headlight
