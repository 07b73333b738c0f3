// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/imaging/drawing/KeyDrawing.h"

#include <algorithm>
#include <cmath>

#include "core/imaging/drawing/TextPainter.h"

namespace headlight {
namespace {

/// Pixels of letters and lines for an image of this size.
struct KeyMeasures {
  int em, line, padding;

  explicit KeyMeasures(const Image& image) {
    const double side = std::min(image.width, image.height);
    em = std::max(10, static_cast<int>(std::lround(side / 30)));
    line = em * 3 / 2;
    padding = em / 2;
  }
};

/// Those that fit, and a line that counts the others.
std::vector<KeyEntry> fitting(const std::vector<KeyEntry>& entries, std::size_t lines) {
  if (entries.size() <= lines) return entries;
  std::vector<KeyEntry> some(entries.begin(),
                             entries.begin() + static_cast<std::ptrdiff_t>(lines) - 1);
  some.push_back({"+ " + std::to_string(entries.size() - some.size()), {255, 255, 255}});
  return some;
}

int widestText(const std::vector<KeyEntry>& entries, TextPainter& painter, int em) {
  int width = 0;
  for (const KeyEntry& entry : entries)
    width = std::max(width, painter.measureWidth(entry.text, em));
  return width;
}

/// The image at the left of a white canvas.
PixelCanvas canvasBeside(const Image& image, int more) {
  PixelCanvas canvas{image.width + more, image.height, {}};
  canvas.pixels.assign(static_cast<std::size_t>(canvas.width) * canvas.height * 3, 255);
  for (int y = 0; y < image.height; ++y)
    std::copy_n(image.row(y), static_cast<std::size_t>(image.width) * 3, canvas.at(0, y));
  return canvas;
}

void paintSquare(PixelCanvas& canvas, int left, int top, int side, const DrawnColor& color) {
  for (int y = top; y < std::min(canvas.height, top + side); ++y)
    for (int x = left; x < std::min(canvas.width, left + side); ++x) {
      std::uint8_t* pixel = canvas.at(x, y);
      pixel[0] = color.red, pixel[1] = color.green, pixel[2] = color.blue;
    }
}

}  // namespace

Image drawKey(const Image& image, const std::vector<KeyEntry>& entries) {
  if (image.empty() || entries.empty()) return image;
  const KeyMeasures key(image);
  const int lines = std::max(1, (image.height - key.padding) / key.line);
  const auto shown = fitting(entries, static_cast<std::size_t>(lines));
  TextPainter painter;
  const int text = widestText(shown, painter, key.em);
  PixelCanvas canvas = canvasBeside(image, text + key.em + 3 * key.padding);
  int top = key.padding;
  for (const KeyEntry& entry : shown) {
    const int left = image.width + key.padding;
    paintSquare(canvas, left, top, key.em, entry.color);
    painter.draw(canvas, entry.text, left + key.em + key.padding, top + key.em * 4 / 5, key.em, 0);
    top += key.line;
  }
  return {canvas.width, canvas.height,
          std::make_shared<const std::vector<std::uint8_t>>(std::move(canvas.pixels))};
}

}  // namespace headlight
