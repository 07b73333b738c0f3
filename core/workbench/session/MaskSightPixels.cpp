// SPDX-License-Identifier: GPL-3.0-or-later

// MaskSight.h: outlines as pixels.

#include <algorithm>
#include <cmath>
#include <memory>

#include "core/workbench/session/MaskSight.h"

namespace headlight {
namespace {

constexpr std::uint8_t kHalo = 16, kLine = 255;
constexpr int kPixelsALine = 220;  ///< of the image's width, for each pixel of the line's
constexpr int kDash = 4;           ///< in widths of the line

struct Box {
  int left, top, right, bottom;  ///< pixels, the last not among them
};

class OutlinePixels {
 public:
  OutlinePixels(const Image& image, int rows, int cols)
      : m_width(image.width),
        m_height(image.height),
        m_rows(rows),
        m_cols(cols),
        m_line(std::max(1, image.width / kPixelsALine)),
        m_pixels(image.row(0), image.row(0) + std::size_t{3} * image.width * image.height) {}

  void draw(const std::vector<PatchEdge>& edges, bool dashed) {
    for (const PatchEdge& edge : edges)
      fill(boxAround(edge, m_line + 2), kHalo);
    for (const PatchEdge& edge : edges)
      dashed ? fillDashes(boxAround(edge, m_line)) : fill(boxAround(edge, m_line), kLine);
  }

  Image image() && {
    return {m_width, m_height,
            std::make_shared<const std::vector<std::uint8_t>>(std::move(m_pixels))};
  }

 private:
  /// Lines on the border of the image lie within it.
  static int placed(double at, int length, int thickness) {
    const int first = static_cast<int>(std::lround(at)) - thickness / 2;
    return std::clamp(first, 0, std::max(0, length - thickness));
  }

  Box boxAround(const PatchEdge& edge, int thickness) const {
    const double down = double(m_height) / m_rows, across = double(m_width) / m_cols;
    return {placed(edge.col * across, m_width, thickness),
            placed(edge.row * down, m_height, thickness),
            placed(edge.lastCol * across, m_width, thickness) + thickness,
            placed(edge.lastRow * down, m_height, thickness) + thickness};
  }

  void fill(const Box& box, std::uint8_t gray) {
    for (int y = box.top; y < std::min(box.bottom, m_height); ++y)
      for (int x = box.left; x < std::min(box.right, m_width); ++x)
        std::fill_n(m_pixels.begin() + (std::ptrdiff_t{y} * m_width + x) * 3, 3, gray);
  }

  void fillDashes(const Box& box) {
    const int dash = kDash * m_line;
    for (int y = box.top; y < box.bottom; y += 2 * dash)
      for (int x = box.left; x < box.right; x += 2 * dash)
        fill({x, y, std::min(x + dash, box.right), std::min(y + dash, box.bottom)}, kLine);
  }

  int m_width, m_height, m_rows, m_cols, m_line;
  std::vector<std::uint8_t> m_pixels;
};

}  // namespace

Image withMaskSight(const Image& image, const MaskSight& sight) {
  if (!sight.isDrawn() || image.empty()) return image;
  OutlinePixels pixels(image, sight.rows, sight.cols);
  pixels.draw(sight.learned, /*dashed=*/true);
  pixels.draw(sight.window, /*dashed=*/false);
  return std::move(pixels).image();
}

}  // namespace headlight
