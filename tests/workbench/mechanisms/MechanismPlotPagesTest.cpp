// SPDX-License-Identifier: GPL-3.0-or-later

// How a mechanism's own images are drawn and written down.

#include "core/workbench/mechanisms/MechanismPlotPages.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/workbench/mechanisms/MechanismPlotTiles.h"

namespace headlight {
namespace {

constexpr float kNone = NAN;

/// Of `layers` and heads, each entry another number, the first not there.
MechanismPlot panelsOf(MechanismPlotKind kind, int layers, int heads, int side, bool isSigned) {
  MechanismPlot image;
  image.info = {.name = "kernel",
                .title = "kernels w",
                .meaning = "What.",
                .source = "Somewhere",
                .kind = kind,
                .isSigned = isSigned};
  for (int l = 0; l < layers; ++l)
    for (int h = 0; h < heads; ++h) {
      MechanismPlotPanel panel{l, heads == 1 ? -1 : h, side, side, {}};
      for (int i = 0; i < side * side; ++i)
        panel.values.push_back(static_cast<float>(i * (1 + h) - side));
      panel.values[0] = kNone;
      image.panels.push_back(panel);
    }
  return image;
}

MechanismPlot linesOfTwoHeads() {
  MechanismPlot image;
  image.info.name = "bias-lines";
  image.info.title = "lines";
  image.info.kind = MechanismPlotKind::Curves;
  image.curves = {{0, -1, "DS", 1, {0.5f, 0.25f, kNone}},
                  {0, 0, "B_i", 1, {1, 2, kNone}},
                  {0, 1, "B_i", 1, {3, 4, 5}}};
  return image;
}

std::array<std::uint8_t, 3> pixelAt(const Image& image, int x, int y) {
  const std::uint8_t* p = image.row(y) + std::ptrdiff_t{3} * x;
  return {p[0], p[1], p[2]};
}

TEST(MechanismPlotPages, APanelHasAWholeNumberOfPixelsForAnEntry) {
  const MechanismPlot plot = panelsOf(MechanismPlotKind::Kernel, 1, 2, 3, true);
  const Image image = valueOrThrow(plotPanelImage(plot, 1, {}, 11));
  ASSERT_EQ(image.width, 9);
  ASSERT_EQ(image.height, 9);
  const ValueRange range = plotRange(plot, 1, {});
  EXPECT_EQ(range.high, 13);  // 8 · 2 − 3
  EXPECT_EQ(range.low, -13);
  for (int y = 0; y < 9; ++y)
    for (int x = 0; x < 9; ++x) {
      const float value = plot.panels[1].values[y / 3 * 3 + x / 3];
      const double at = std::isnan(value) ? NAN : (value / 13 + 1) / 2;
      const auto wanted = colorOf(ColorMap::Diverging, at), drawn = pixelAt(image, x, y);
      for (int c = 0; c < 3; ++c)
        EXPECT_NEAR(drawn[c], wanted[c], 2) << x << " " << y;
    }
  const MechanismPlot large = panelsOf(MechanismPlotKind::Matrix, 1, 1, 300, false);
  EXPECT_EQ(valueOrThrow(plotPanelImage(large, 0, {}, 100)).width, 300);
  EXPECT_EQ(plotPanelImage(large, 1, {}, 100).error().code, ErrorCode::InvalidArgument);
}

TEST(MechanismPlotPages, OneScaleIsThatOfAllThatAreChosen) {
  const MechanismPlot image = panelsOf(MechanismPlotKind::Matrix, 2, 3, 4, false);
  EXPECT_EQ(plotRange(image, 0, {}).high, 11);
  EXPECT_EQ(plotRange(image, 0, {.sharedScale = true}).high, 41);
  EXPECT_EQ(plotRange(image, 0, {.sharedScale = true, .head = 1}).high, 26);
  EXPECT_EQ(plotChosen(image, {.layer = 1}), (std::vector<std::size_t>{3, 4, 5}));
  EXPECT_EQ(plotChosen(image, {.layer = 1, .head = 2}), std::vector<std::size_t>{5});
  MechanismPlot still = panelsOf(MechanismPlotKind::Kernel, 1, 1, 2, true);
  still.panels[0].values.assign(4, 0.0f);
  EXPECT_FALSE(std::signbit(plotRange(still, 0, {}).low));
  EXPECT_EQ(plotColors(image.info, {.colorMap = ColorMap::Gray}), ColorMap::Gray);
}

TEST(MechanismPlotPages, EveryHeadOfEveryLayerIsOnThePage) {
  // As many as AFT-conv has: rows of 32 of them, two pixels a tap.
  const Image many =
      valueOrThrow(plotPage(panelsOf(MechanismPlotKind::Kernel, 2, 384, 11, true), "m", {}));
  EXPECT_GT(many.width, 32 * 22);
  EXPECT_GT(many.height, 24 * 22);
  const Image few =
      valueOrThrow(plotPage(panelsOf(MechanismPlotKind::Matrix, 3, 4, 20, false), "m", {}));
  EXPECT_GT(few.width, 4 * 220);  // eleven pixels an entry
  EXPECT_GT(few.height, 3 * 220);
  const Image shared =
      valueOrThrow(plotPage(panelsOf(MechanismPlotKind::Matrix, 6, 1, 197, true), "m", {}));
  EXPECT_GT(shared.width, 4 * 197);
  EXPECT_LT(shared.height, 3 * 300);  // two rows of four and two
  const Image one = valueOrThrow(
      plotPage(panelsOf(MechanismPlotKind::Matrix, 3, 4, 20, false), "m", {.layer = 2, .head = 1}));
  EXPECT_LT(one.width, few.width);
  EXPECT_GT(one.width, 400);  // and larger than in the page
  EXPECT_FALSE(plotPage(panelsOf(MechanismPlotKind::Matrix, 1, 2, 4, false), "m", {.layer = 1}));
}

TEST(MechanismPlotPages, AsADrawingItHasItsWordsAsText) {
  const MechanismPlot image = panelsOf(MechanismPlotKind::Kernel, 2, 3, 5, true);
  const Drawing drawing = valueOrThrow(plotPageDrawing(image, "m", {.sharedScale = true}));
  EXPECT_EQ(drawing.images.size(), 7u);  // and the scale
  const std::string svg = renderSvg(drawing);
  for (const char* words : {"m: kernels w", "layer 1", "head 2", "one scale for all"})
    EXPECT_NE(svg.find(words), std::string::npos) << words;
  EXPECT_FALSE(plotPageDrawing(image, "m", {.layer = 2}));
  MechanismPlot weights = image;
  weights.info.title = "e^w − 1";
  EXPECT_NE(renderPdf(valueOrThrow(plotPageDrawing(weights, "m", {}))).find("(m: e^w \x96 1)"),
            std::string::npos);
}

TEST(MechanismPlotPages, TooManyEntriesAreAveraged) {
  const MechanismPlotPanel panel{0, 0, 3, 3, {1, 2, 3, 4, kNone, 6, 7, 8, kNone}};
  const MechanismPlotPanel means = blockMeans(panel, 2);
  ASSERT_EQ(means.rows, 2);
  EXPECT_FLOAT_EQ(means.values[0], 7.0f / 3);
  EXPECT_FLOAT_EQ(means.values[1], 4.5f);
  EXPECT_FLOAT_EQ(means.values[2], 7.5f);
  EXPECT_TRUE(std::isnan(means.values[3]));
  const MechanismPlot image = panelsOf(MechanismPlotKind::Matrix, 4, 1, 100, false);
  const MechanismPlotStyle style;
  for (const auto& [most, side] :
       {std::pair{40'000, 1}, std::pair{39'000, 2}, std::pair{5'000, 3}}) {
    MechanismPlotTiles tiles(image, style, 100, {}, most);
    for (std::size_t i = 0; i < 4; ++i)
      tiles.addPanel(i);
    const auto images = tiles.images();
    EXPECT_EQ(tiles.reduced(), side);
    ASSERT_EQ(images.size(), 4u);
    EXPECT_EQ(images[0].width, (100 + side - 1) / side);
  }
}

TEST(MechanismPlotPages, AHeatLiesOverWhatTheModelSaw) {
  MechanismPlot image = panelsOf(MechanismPlotKind::Heatmap, 1, 1, 4, false);
  image.panels[0].values.assign(16, 1.0f);
  const Image view{32, 32, std::make_shared<const std::vector<std::uint8_t>>(32 * 32 * 3, 200)};
  const Image over = valueOrThrow(plotPanelImage(image, 0, {.opacity = 0}, 64, view));
  EXPECT_EQ(over.width, 64);
  EXPECT_EQ(pixelAt(over, 30, 30), (std::array<std::uint8_t, 3>{200, 200, 200}));
  MechanismPlot window = image;
  for (int i = 0; i < 16; ++i)
    if (i / 4 < 2 || i % 4 == 0) window.panels[0].values[i] = kNone;
  const MechanismPlotPart part = cropToValues(window.panels[0], view);
  EXPECT_TRUE(part.cropped);
  EXPECT_EQ(part.panel.rows, 2);
  EXPECT_EQ(part.panel.cols, 3);
  EXPECT_EQ(part.panel.values, std::vector<float>(6, 1.0f));
  EXPECT_EQ(part.view.width, 24);
  EXPECT_EQ(part.view.height, 16);
  EXPECT_FALSE(cropToValues(image.panels[0], view).cropped);
  const Image alone = valueOrThrow(plotPanelImage(image, 0, {.opacity = 0}, 64));
  EXPECT_NE(pixelAt(alone, 30, 30), (std::array<std::uint8_t, 3>{200, 200, 200}));
}

TEST(MechanismPlotPages, LinesOfAHeadAreWithThoseThatAllShare) {
  const MechanismPlot image = linesOfTwoHeads();
  EXPECT_EQ(image.heads(0), (std::vector<int>{0, 1}));
  const auto curves = plotCurves(image, 0, 1);
  ASSERT_EQ(curves.size(), 2u);
  EXPECT_EQ(curves[0].name, "DS");
  EXPECT_EQ(curves[0].keys, (std::vector<double>{0, 1}));
  EXPECT_FALSE(curves[0].joined);  // a gap is none that a line may bridge
  EXPECT_EQ(curves[1].values, (std::vector<double>{3, 4, 5}));
  EXPECT_TRUE(curves[1].joined);
  const std::string svg = renderSvg(curvesDrawing(image, 0, 1));
  EXPECT_NE(svg.find("the query is 1"), std::string::npos);
  EXPECT_EQ(plotLegend(image), "blue DS, vermilion B_i");
  EXPECT_GT(valueOrThrow(plotPage(image, "m", {})).width, 400);
}

TEST(MechanismPlotPages, NumbersAreWrittenWithTheirPlaces) {
  const MechanismPlot panels = panelsOf(MechanismPlotKind::Kernel, 2, 2, 2, true);
  const auto startsWith = [](const std::string& text, const std::string& start) {
    return text.substr(0, start.size()) == start;
  };
  EXPECT_TRUE(startsWith(plotCsv(panels), "layer,head,row,column,value\n0,0,0,0,\n0,0,0,1,-1\n"));
  const auto arrays = plotArrays(panels);
  ASSERT_EQ(arrays.size(), 2u);
  EXPECT_EQ(arrays[1].name, "kernel.1");
  EXPECT_EQ(arrays[1].shape, (std::vector<std::int64_t>{2, 2, 2}));
  EXPECT_EQ(arrays[1].values.size(), 8u);
  const MechanismPlot lines = linesOfTwoHeads();
  EXPECT_TRUE(startsWith(plotCsv(lines),
                         "layer,head,curve,place,value\n0,,\"DS\",0,0.5\n"
                         "0,,\"DS\",1,0.25\n0,,\"DS\",2,\n0,0,\"B_i\",0,1\n"));
  const auto named = plotArrays(lines);
  ASSERT_EQ(named.size(), 2u);
  EXPECT_EQ(named[1].name, "bias-lines.B_i.0");
  EXPECT_EQ(named[1].shape, (std::vector<std::int64_t>{2, 3}));
  const Json json = mechanismPlotJson(lines);
  EXPECT_TRUE(json["curves"][0]["head"].is_null());
  EXPECT_TRUE(json["curves"][0]["values"][2].is_null());
  EXPECT_EQ(json["curves"][2]["values"][2], 5);
}

}  // namespace
}  // namespace headlight
