// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Text on 8-bit RGB pixels: FreeType with the first sans-serif font found, else OpenCV's line
// letters (ASCII only). Private to imaging.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace headlight {

/// An image being drawn, [height, width, 3].
struct PixelCanvas {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> pixels;

  std::uint8_t* at(int x, int y) {
    return pixels.data() + (static_cast<std::size_t>(y) * width + x) * 3;
  }
};

class TextPainter {
 public:
  /// Looks for the font in $HEADLIGHT_FONT (a file), then where Debian and others keep DejaVu Sans.
  TextPainter();
  ~TextPainter();
  TextPainter(const TextPainter&) = delete;
  TextPainter& operator=(const TextPainter&) = delete;

  /// Pixels that `text` (UTF-8) takes at `size` pixels an em.
  int measureWidth(const std::string& text, int size);
  /// Dark text from `left` on, its letters standing on `baseline`; clipped at the canvas' edges.
  void draw(PixelCanvas& canvas, const std::string& text, int left, int baseline, int size,
            std::uint8_t gray);
  /// `text` cut with "…" so that it takes at most `width` pixels; empty if nothing fits.
  std::string shortened(const std::string& text, int width, int size);

 private:
  struct Font;
  std::unique_ptr<Font> m_font;  // null: OpenCV's letters
};

}  // namespace headlight
