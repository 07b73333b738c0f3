// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A drawing of lines, images and words, for a paper: written as SVG, as PDF (both with real text)
// or drawn as pixels. Lengths are in units of 1/96 inch, from the upper left corner.

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/base/Result.h"
#include "core/imaging/codecs/Image.h"

namespace headlight {

struct DrawnColor {
  std::uint8_t red = 0, green = 0, blue = 0;
};

struct DrawnLine {
  std::vector<std::pair<double, double>> points;  ///< of one point: a dot
  DrawnColor color;
  double width = 1;
};

struct DrawnText {
  enum class Anchor { Left, Middle, Right };
  double x = 0, y = 0;  ///< of the anchor, on the line that letters stand on
  std::string text;     ///< UTF-8; what Helvetica lacks is '?' in the PDF
  double size = 11;     ///< an em
  Anchor anchor = Anchor::Left;
  std::uint8_t gray = 0;
};

/// Below lines and words. As many pixels as `image` has; as pixels resampled where it has others.
struct DrawnImage {
  double x = 0, y = 0;  ///< of the upper left corner
  double width = 0, height = 0;
  Image image;
};

struct Drawing {
  double width = 0, height = 0;
  std::string title;  ///< of the file
  std::vector<DrawnLine> lines;
  std::vector<DrawnText> texts;
  std::vector<DrawnImage> images = {};
};

std::string renderSvg(const Drawing& drawing);
std::string renderPdf(const Drawing& drawing);
/// On white; `scale` pixels a unit.
Image renderPixels(const Drawing& drawing, double scale);
/// PNG bytes at `dpi`, which they say; `text` as of encodePng().
Result<std::string> renderPng(const Drawing& drawing, double dpi,
                              const std::vector<std::pair<std::string, std::string>>& text = {});

/// Whether the name ends in .pdf, .svg or .png, in lower case.
bool isDrawingName(const std::filesystem::path& path);
/// As .svg, .pdf, or .png at twice the size, by the name. Errors: InvalidArgument for another one,
/// Io.
Result<void> writeDrawing(const std::filesystem::path& path, const Drawing& drawing);

/// How wide text is in Helvetica, about that in any sans-serif face.
double textWidth(const std::string& text, double size);

}  // namespace headlight
