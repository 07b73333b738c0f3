// SPDX-License-Identifier: GPL-3.0-or-later

// Drawings as files: what a reader of SVG or PDF must find, and pixels where lines are.

#include "core/imaging/drawing/Drawing.h"

#include <gtest/gtest.h>

#include "core/imaging/drawing/CurvePlot.h"

namespace headlight {
namespace {

Drawing smallDrawing() {
  Drawing drawing{40, 30, "a <b> & (c) \\", {}, {}};
  drawing.lines.push_back({{{5, 10}, {35, 10}}, {200, 0, 0}, 2});
  drawing.lines.push_back({{{20, 20}}, {0, 0, 200}, 2});
  drawing.texts.push_back({30, 25, "1.5 α…", 8, DrawnText::Anchor::Right});
  return drawing;
}

TEST(Drawing, SvgHasRealText) {
  const std::string svg = renderSvg(smallDrawing());
  EXPECT_NE(svg.find("viewBox=\"0 0 40.00 30.00\""), std::string::npos) << svg;
  EXPECT_NE(svg.find("<title>a &lt;b&gt; &amp; (c) \\</title>"), std::string::npos);
  EXPECT_NE(svg.find("points=\"5.00,10.00 35.00,10.00 \""), std::string::npos);
  EXPECT_NE(svg.find("<circle cx=\"20.00\" cy=\"20.00\""), std::string::npos);
  EXPECT_NE(svg.find("text-anchor=\"end\" fill=\"rgb(0,0,0)\">1.5 α…</text>"), std::string::npos);
}

/// Every object lies where the table says, and the stream is as long as it says.
TEST(Drawing, PdfHoldsTogether) {
  const std::string pdf = renderPdf(smallDrawing());
  EXPECT_TRUE(pdf.starts_with("%PDF-1.4\n"));
  EXPECT_TRUE(pdf.ends_with("\n%%EOF\n"));
  const std::size_t table = std::stoul(pdf.substr(pdf.rfind("startxref\n") + 10));
  ASSERT_EQ(pdf.substr(table, 9), "xref\n0 7\n");
  for (int i = 1; i <= 6; ++i) {
    const std::string entry = pdf.substr(table + 9 + 20 * static_cast<std::size_t>(i), 20);
    EXPECT_TRUE(entry.ends_with(" 00000 n \n")) << entry;
    const std::string head = std::to_string(i) + " 0 obj\n";
    EXPECT_EQ(pdf.substr(std::stoul(entry), head.size()), head);
  }
  const std::size_t length = std::stoul(pdf.substr(pdf.find("/Length ") + 8));
  const std::size_t stream = pdf.find("stream\n") + 7;
  EXPECT_EQ(pdf.substr(stream + length, 10), "endstream\n");
  // 3/4 of a unit is a point, and up is up.
  EXPECT_NE(pdf.find("3.75 15.00 m\n26.25 15.00 l\nS"), std::string::npos) << pdf;
  EXPECT_NE(pdf.find("(1.5 ?\x85) Tj"), std::string::npos);
  EXPECT_NE(pdf.find("/Title (a <b> & \\(c\\) \\\\)"), std::string::npos);
}

TEST(Drawing, PixelsAreWhereTheLinesAre) {
  const Image image = renderPixels(smallDrawing(), 2);
  ASSERT_EQ(image.width, 80);
  ASSERT_EQ(image.height, 60);
  const auto at = [&](int x, int y) { return image.row(y) + 3 * x; };
  EXPECT_EQ(at(40, 20)[0], 200);
  EXPECT_EQ(at(40, 20)[1], 0);
  EXPECT_EQ(at(40, 40)[2], 200);
  EXPECT_EQ(at(40, 30)[0], 255);
  EXPECT_EQ(at(2, 20)[1], 255);
}

TEST(Drawing, TheNameSaysTheFormat) {
  for (const char* name : {"a.pdf", "a.svg", "folder.txt/a.b.png"})
    EXPECT_TRUE(isDrawingName(name)) << name;
  for (const char* name : {"a.PNG", "a.csv", "a.pdf.txt", "png", ".png", ""}) {
    EXPECT_FALSE(isDrawingName(name)) << name;
    const auto refused = writeDrawing(name, smallDrawing());
    ASSERT_FALSE(refused) << name;
    EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(refused.error().message, "must end in .pdf, .svg or .png");
  }
}

/// Of the ends of a curve by hand: the frame is from 66 to 570 and from 34 to 352.
TEST(Drawing, CurvesFillTheirFrame) {
  const Drawing plot = drawCurves({{"a", {0, 10}, {1, 3}}, {"b", {5}, {2}}}, {"loss", "step"});
  const DrawnLine* curve = nullptr;
  for (const DrawnLine& line : plot.lines)
    if (line.width == 1.5 && line.points.size() == 2) curve = &line;
  ASSERT_NE(curve, nullptr);
  EXPECT_NEAR(curve->points[0].first, 66, 1e-9);
  EXPECT_NEAR(curve->points[1].first, 66 + 504 / 1.02, 1e-9);
  EXPECT_NEAR(curve->points[0].second, 352 - 318 * 0.1 / 2.2, 1e-9);
  EXPECT_NEAR(curve->points[1].second, 34 + 318 * 0.1 / 2.2, 1e-9);
  std::vector<std::string> ticks;
  for (const DrawnText& words : plot.texts)
    if (words.anchor == DrawnText::Anchor::Right) ticks.push_back(words.text);
  EXPECT_EQ(ticks, (std::vector<std::string>{"1", "1.5", "2", "2.5", "3"}));
  EXPECT_FALSE(drawCurves({}, {"loss", "step"}).lines.empty()) << "axes alone";
}

}  // namespace
}  // namespace headlight
