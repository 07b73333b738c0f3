// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a segmenter found, drawn over the original image. No torch type here.

#include <array>
#include <string>

#include "core/imaging/ClassPng.h"
#include "core/workbench/session/Images.h"
#include "core/workbench/session/Segments.h"

namespace headlight {

/// The colors of all kMaxPixelClasses classes, as objectColor() has them; kIgnoredClass is black.
const ClassPalette& segmentPalette();

/// "sky 41.3 %": the class and its share of the image.
std::string segmentText(const SegmentClass& segment);

/// Over an image, as strong as they are on the canvas to begin with.
inline constexpr double kSegmentOpacity = 0.5;

/// The colors of the classes over a part of the image: `region` is its left, top, width and height in
/// [0, 1] of the whole.
Image withSegmentColors(const Image& part, const ClassImage& classes,
                        const std::array<double, 4>& region, double opacity = kSegmentOpacity);

/// The borders of the true segments, in the colors of their classes, over an image of their size.
Image withSegmentBorders(const Image& image, const ClassImage& truth);

/// The image with the colors of the classes over it, and the classes with their shares beside it.
/// Where the model saw nothing the image is as it is. `truth`, if given, is of the model's classes
/// and of the image's size: its borders are drawn, too.
Image segmentFigure(const Image& image, const FoundSegments& found,
                    double opacity = kSegmentOpacity, const ClassImage* truth = nullptr);

}  // namespace headlight
