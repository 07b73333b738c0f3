// SPDX-License-Identifier: GPL-3.0-or-later

// Images in drawings: their own pixels in a PNG, and what readers of SVG and PDF must find.

#include <gtest/gtest.h>
#include <zlib.h>

#include "core/imaging/drawing/Drawing.h"

namespace headlight {
namespace {

Image checkered(int width, int height) {
  auto pixels = std::make_shared<std::vector<std::uint8_t>>();
  for (int i = 0; i < width * height * 3; ++i)
    pixels->push_back(static_cast<std::uint8_t>(i * 37 % 251));
  return {width, height, pixels};
}

Drawing withImage() {
  Drawing drawing{40, 30, "a", {}, {}};
  drawing.images.push_back({5, 4, 10, 8, checkered(20, 16)});
  return drawing;
}

TEST(DrawingImages, PixelsThatFitAreTheirOwn) {
  const Image page = renderPixels(withImage(), 2);
  const Image own = checkered(20, 16);
  for (int y = 0; y < 16; ++y)
    EXPECT_TRUE(std::equal(own.row(y), own.row(y) + 60, page.row(8 + y) + 30)) << y;
  EXPECT_EQ(page.row(8)[29], 255);
  EXPECT_EQ(page.row(7)[30], 255);
}

TEST(DrawingImages, BeyondTheEdgeNothingIsDrawn) {
  Drawing drawing{10, 10, "a", {}, {}};
  drawing.images.push_back({-5, 6, 10, 10, checkered(10, 10)});
  drawing.images.push_back({50, 50, 10, 10, checkered(10, 10)});
  drawing.images.push_back({0, 0, 1, 1, {}});
  const Image page = renderPixels(drawing, 1);
  const Image own = checkered(10, 10);
  EXPECT_TRUE(std::equal(own.row(0) + 15, own.row(0) + 30, page.row(6)));
  EXPECT_EQ(page.row(6)[15], 255);
}

TEST(DrawingImages, SvgHasThemAsData) {
  const std::string svg = renderSvg(withImage());
  EXPECT_NE(svg.find("<image x=\"5.00\" y=\"4.00\" width=\"10.00\" height=\"8.00\""),
            std::string::npos);
  EXPECT_NE(svg.find("data:image/png;base64,iVBORw0KGgo"), std::string::npos);
  EXPECT_NE(svg.find("xmlns:xlink"), std::string::npos);
}

/// The stream inflates to rows of a filter byte and width · 3 bytes.
TEST(DrawingImages, PdfHasTheirCompressedRows) {
  const std::string pdf = renderPdf(withImage());
  const std::size_t table = std::stoul(pdf.substr(pdf.rfind("startxref\n") + 10));
  ASSERT_EQ(pdf.substr(table, 9), "xref\n0 8\n");
  const std::size_t object = std::stoul(pdf.substr(table + 9 + 20 * 7, 10));
  ASSERT_EQ(pdf.substr(object, 8), "7 0 obj\n");
  const std::string head = pdf.substr(object, pdf.find("stream\n", object) - object);
  EXPECT_NE(head.find("/Width 20 /Height 16"), std::string::npos);
  const std::size_t length = std::stoul(head.substr(head.find("/Length ") + 8));
  const std::size_t stream = pdf.find("stream\n", object) + 7;
  EXPECT_EQ(pdf.substr(stream + length, 10), "\nendstream");
  std::vector<Bytef> rows(4096);
  uLongf size = rows.size();
  ASSERT_EQ(
      uncompress(rows.data(), &size, reinterpret_cast<const Bytef*>(pdf.data() + stream), length),
      Z_OK);
  EXPECT_EQ(size, 16u * (1 + 20 * 3));
  EXPECT_NE(pdf.find("q 7.50 0 0 6.00 3.75 13.50 cm /I0 Do Q"), std::string::npos);
  EXPECT_NE(pdf.find("/XObject << /I0 7 0 R >>"), std::string::npos);
}

TEST(DrawingImages, PngSaysItsSizeOnPaper) {
  const std::string png = *renderPng(withImage(), 192, {{"Software", "Headlight"}});
  const std::size_t at = png.find("pHYs");
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(png.substr(at + 4, 9), std::string("\0\0\x1d\x87\0\0\x1d\x87\x01", 9));  // 7559 a metre
  const Image image = *decodeImage(png, "page.png");
  EXPECT_EQ(image.width, 80);
  EXPECT_EQ(readPngText(png).front().second, "Headlight");
}

}  // namespace
}  // namespace headlight
