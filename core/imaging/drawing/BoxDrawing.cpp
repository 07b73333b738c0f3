// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/imaging/drawing/BoxDrawing.h"

#include <algorithm>
#include <cmath>

#include "core/imaging/drawing/TextPainter.h"

namespace headlight {
namespace {

/// Right and bottom are the first pixels outside.
struct PixelRect {
  int left = 0, top = 0, right = 0, bottom = 0;

  bool empty() const { return right <= left || bottom <= top; }
};

/// Pixels of lines and letters for an image of this size.
struct BoxMeasures {
  int line, halo, em, padding;

  BoxMeasures(const Image& image, int letters) {
    const double side = std::min(image.width, image.height);
    const double lines = letters > 0 ? letters / 8.0 : side / 200;
    line = std::max(1, static_cast<int>(std::lround(lines)));
    halo = std::max(1, line / 2);
    em = letters > 0 ? letters : std::max(10, static_cast<int>(std::lround(side / 30)));
    padding = std::max(2, em / 4);
  }
};

/// A corner's pixel in [0, limit]; 0 of what is no number.
int pixelWithin(double value, int limit) {
  if (!(value > 0)) return 0;
  return value < limit ? static_cast<int>(std::lround(value)) : limit;
}

PixelRect rectOf(const DrawnBox& box, const PixelCanvas& canvas) {
  return {pixelWithin(box.left, canvas.width), pixelWithin(box.top, canvas.height),
          pixelWithin(box.right, canvas.width), pixelWithin(box.bottom, canvas.height)};
}

template <typename Paint>
void paintRect(PixelCanvas& canvas, const PixelRect& rect, Paint paint) {
  for (int y = std::max(0, rect.top); y < std::min(canvas.height, rect.bottom); ++y)
    for (int x = std::max(0, rect.left); x < std::min(canvas.width, rect.right); ++x)
      paint(canvas.at(x, y));
}

/// The sides of a rectangle in dashes of five times their `width`, as long as the gaps.
template <typename Paint>
void paintDashes(PixelCanvas& canvas, const PixelRect& outer, int width, Paint paint) {
  const auto& [left, top, right, bottom] = outer;
  const int dash = 5 * width;
  for (int x = left; x < right; x += 2 * dash) {
    const int end = std::min(x + dash, right);
    paintRect(canvas, {x, top, end, top + width}, paint);
    paintRect(canvas, {x, bottom - width, end, bottom}, paint);
  }
  for (int y = top + 2 * dash; y < bottom; y += 2 * dash) {
    const int end = std::min(y + dash, bottom);
    paintRect(canvas, {left, y, left + width, end}, paint);
    paintRect(canvas, {right - width, y, right, end}, paint);
  }
}

/// The four sides of a rectangle, `width` pixels inward.
template <typename Paint>
void paintFrame(PixelCanvas& canvas, const PixelRect& outer, int width, Paint paint) {
  const auto& [left, top, right, bottom] = outer;
  paintRect(canvas, {left, top, right, top + width}, paint);
  paintRect(canvas, {left, bottom - width, right, bottom}, paint);
  paintRect(canvas, {left, top + width, left + width, bottom - width}, paint);
  paintRect(canvas, {right - width, top + width, right, bottom - width}, paint);
}

/// As black at two thirds: colors stay visible on a ground of their own.
void shadePixel(std::uint8_t* pixel) {
  for (int c = 0; c < 3; ++c)
    pixel[c] = static_cast<std::uint8_t>(pixel[c] / 3);
}

auto filling(const DrawnColor& color) {
  return [color](std::uint8_t* pixel) {
    pixel[0] = color.red, pixel[1] = color.green, pixel[2] = color.blue;
  };
}

void paintBox(PixelCanvas& canvas, const DrawnBox& box, const BoxMeasures& measures) {
  const PixelRect rect = rectOf(box, canvas);
  if (rect.empty()) return;
  const int halo = measures.halo;
  paintFrame(canvas, {rect.left - halo, rect.top - halo, rect.right + halo, rect.bottom + halo},
             measures.line + 2 * halo, shadePixel);
  if (box.dashed) return paintDashes(canvas, rect, measures.line, filling(box.color));
  paintFrame(canvas, rect, measures.line, filling(box.color));
}

/// Of this size at a box's upper left corner, moved into the image.
PixelRect labelAt(const PixelRect& box, int width, int height, const PixelCanvas& canvas) {
  const int left = std::max(0, std::min(box.left, canvas.width - width));
  const int top = std::max(0, std::min(box.top, canvas.height - height));
  return {left, top, left + width, top + height};
}

void paintLabel(PixelCanvas& canvas, TextPainter& painter, const DrawnBox& box,
                const BoxMeasures& measures) {
  const PixelRect rect = rectOf(box, canvas);
  if (rect.empty()) return;
  const int around = 2 * measures.padding;
  const std::string text = painter.shortened(box.text, canvas.width - around, measures.em);
  if (text.empty()) return;
  const PixelRect label = labelAt(rect, painter.measureWidth(text, measures.em) + around,
                                  measures.em + measures.padding, canvas);
  paintRect(canvas, label, filling(box.color));
  // Letters of a line reach about a fifth of an em below the line that they stand on.
  painter.draw(canvas, text, label.left + measures.padding,
               label.bottom - measures.padding / 2 - measures.em / 5, measures.em, 0);
}

}  // namespace

Image drawBoxes(const Image& image, const std::vector<DrawnBox>& boxes, int em) {
  if (image.empty()) return image;
  PixelCanvas canvas{image.width, image.height, *image.pixels};
  const BoxMeasures measures(image, em);
  TextPainter painter;
  std::for_each(boxes.rbegin(), boxes.rend(),
                [&](const DrawnBox& box) { paintBox(canvas, box, measures); });
  std::for_each(boxes.rbegin(), boxes.rend(),
                [&](const DrawnBox& box) { paintLabel(canvas, painter, box, measures); });
  return {image.width, image.height,
          std::make_shared<const std::vector<std::uint8_t>>(std::move(canvas.pixels))};
}

}  // namespace headlight
