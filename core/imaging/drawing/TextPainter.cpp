// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/imaging/drawing/TextPainter.h"

#include <ft2build.h>
#include FT_FREETYPE_H

#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <cstdlib>

#include "core/base/Utf8.h"

namespace headlight {
namespace {

constexpr const char* kFontFiles[] = {
    "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
    "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf",
    "/usr/share/fonts/dejavu/DejaVuSans.ttf",
    "/usr/share/fonts/TTF/DejaVuSans.ttf",
    "/usr/share/fonts/truetype/noto/NotoSans-Regular.ttf",
    "/usr/share/fonts/truetype/liberation/LiberationSans-Regular.ttf"};

constexpr int kLineLetters = cv::FONT_HERSHEY_SIMPLEX;
constexpr double kLineLetterEm = 30;  // pixels an em of OpenCV's letters at scale 1

void darken(std::uint8_t* pixel, std::uint8_t coverage, std::uint8_t gray) {
  for (int c = 0; c < 3; ++c)
    pixel[c] =
        static_cast<std::uint8_t>((pixel[c] * (255 - coverage) + gray * coverage + 127) / 255);
}

}  // namespace

struct TextPainter::Font {
  FT_Library library = nullptr;
  FT_Face face = nullptr;

  ~Font() {
    if (face != nullptr) FT_Done_Face(face);
    if (library != nullptr) FT_Done_FreeType(library);
  }
  bool open(const char* file) {
    return FT_New_Face(library, file, 0, &face) == 0 && FT_IS_SCALABLE(face);
  }
  /// Calls paint(glyph, x) for each letter, x in pixels from the left end; returns the width.
  template <typename Paint>
  int forEachGlyph(const std::string& text, int size, FT_Int32 flags, Paint&& paint) {
    FT_Set_Pixel_Sizes(face, 0, static_cast<FT_UInt>(size));
    FT_Pos x = 0;  // 1/64 pixel
    for (const char32_t point : codePoints(text)) {
      if (FT_Load_Char(face, point, flags) != 0) continue;
      paint(face->glyph, static_cast<int>(x >> 6));
      x += face->glyph->advance.x;
    }
    return static_cast<int>((x + 63) >> 6);
  }
};

TextPainter::TextPainter() : m_font(std::make_unique<Font>()) {
  if (FT_Init_FreeType(&m_font->library) != 0) {
    m_font.reset();
    return;
  }
  const char* chosen = std::getenv("HEADLIGHT_FONT");
  if (chosen != nullptr && m_font->open(chosen)) return;
  for (const char* file : kFontFiles)
    if (m_font->open(file)) return;
  m_font.reset();
}

TextPainter::~TextPainter() = default;

int TextPainter::measureWidth(const std::string& text, int size) {
  if (m_font) return m_font->forEachGlyph(text, size, FT_LOAD_DEFAULT, [](FT_GlyphSlot, int) {});
  return cv::getTextSize(text, kLineLetters, size / kLineLetterEm, 1, nullptr).width;
}

void TextPainter::draw(PixelCanvas& canvas, const std::string& text, int left, int baseline,
                       int size, std::uint8_t gray) {
  if (!m_font) {
    cv::Mat pixels(canvas.height, canvas.width, CV_8UC3, canvas.pixels.data());
    cv::putText(pixels, text, {left, baseline}, kLineLetters, size / kLineLetterEm,
                cv::Scalar(gray, gray, gray), 1, cv::LINE_AA);
    return;
  }
  m_font->forEachGlyph(text, size, FT_LOAD_RENDER, [&](FT_GlyphSlot glyph, int x) {
    const FT_Bitmap& bitmap = glyph->bitmap;
    if (bitmap.pixel_mode != FT_PIXEL_MODE_GRAY) return;
    for (int row = 0; row < static_cast<int>(bitmap.rows); ++row)
      for (int column = 0; column < static_cast<int>(bitmap.width); ++column) {
        const int targetX = left + x + glyph->bitmap_left + column;
        const int targetY = baseline - glyph->bitmap_top + row;
        if (targetX < 0 || targetY < 0 || targetX >= canvas.width || targetY >= canvas.height)
          continue;
        darken(canvas.at(targetX, targetY), bitmap.buffer[row * bitmap.pitch + column], gray);
      }
  });
}

std::string TextPainter::shortened(const std::string& text, int width, int size) {
  if (measureWidth(text, size) <= width) return text;
  const std::string mark = m_font ? "…" : "...";
  // The most letters that fit, by bisection; a letter ends where the next does not continue it.
  std::vector<std::size_t> ends;
  for (std::size_t i = 1; i < text.size(); ++i)
    if ((text[i] & 0xc0) != 0x80) ends.push_back(i);
  const auto tooLong = std::partition_point(ends.begin(), ends.end(), [&](std::size_t end) {
    return measureWidth(text.substr(0, end) + mark, size) <= width;
  });
  return tooLong == ends.begin() ? "" : text.substr(0, *(tooLong - 1)) + mark;
}

}  // namespace headlight
