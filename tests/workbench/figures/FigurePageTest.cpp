// SPDX-License-Identifier: GPL-3.0-or-later

// Figure pages: what their descriptions say and refuse, and that what is looked at and how it is
// scaled is what a naive computation gives.

#include "core/workbench/figures/FigurePage.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/base/files/Files.h"
#include "core/workbench/figures/ObjectFigure.h"
#include "core/workbench/figures/PageDrawing.h"
#include "core/workbench/figures/PageKey.h"
#include "core/workbench/figures/PageLayout.h"
#include "core/workbench/objects/ObjectDrawing.h"
#include "core/workbench/session/Images.h"
#include "tests/TemporaryFolder.h"
#include "tests/workbench/ExplanationSupport.h"

namespace headlight {
namespace {

PageColumn columnOf(const std::string& text) {
  return valueOrThrow(pageColumnFromText(text));
}

std::string refusalOf(const std::string& text) {
  const auto column = pageColumnFromText(text);
  return column ? "none" : column.error().text();
}

TEST(PageColumn, IsReadAsTypedAndWrittenAgain) {
  for (const char* text :
       {"image", "head 3.1", "layer 11", "rollout", "relevance",
        "relevance (class tabby, tabby cat)", "grad-cam (class 3; layer 5)", "head 0.2 (query 2,4)",
        "similarity (layer 1; query register1)", "feature-pca (layer 0; foreground)",
        "input-gradient (class 3)", "boxes", "segments"})
    EXPECT_EQ(toText(columnOf(text)), text);
  EXPECT_EQ(toText(columnOf("head 11")), "layer 11");
  EXPECT_EQ(toText(columnOf("picture")), "image");
  EXPECT_EQ(toText(columnOf("features (layer 0; foreground)")),  // as older versions named it
            "feature-pca (layer 0; foreground)");
  EXPECT_EQ(columnOf(" rollout ( label all layers ) ").label, "all layers");
  const auto columns =
      valueOrThrow(pageColumnsFromText("image, head 3.1 (query 2,4),relevance (class a, b)"));
  ASSERT_EQ(columns.size(), 3u);
  EXPECT_EQ(columns[1].query, "2,4");
  EXPECT_EQ(columns[2].classText, "a, b");
}

TEST(PageColumn, AnotherWordIsNamedWithWhatComesClose) {
  EXPECT_NE(refusalOf("relevence").find("did you mean \"relevance\"?"), std::string::npos);
  EXPECT_NE(refusalOf("gradcam").find("grad-cam"), std::string::npos);
  EXPECT_NE(refusalOf("zzzzzz").find("head LAYER.HEAD"), std::string::npos);
  EXPECT_NE(refusalOf("head").find("head 3.1"), std::string::npos);
  EXPECT_NE(refusalOf("head 3.x").find("head 3.1"), std::string::npos);
  for (const char* curve : {"logit-lens", "depth"})
    EXPECT_NE(refusalOf(curve).find("--show logit-lens"), std::string::npos);
  EXPECT_NE(refusalOf("rollout (class 3)").find("no option \"class\""), std::string::npos);
  EXPECT_NE(refusalOf("relevance (layer 3)").find("no option \"layer\""), std::string::npos);
  EXPECT_NE(refusalOf("grad-cam (layer last)").find("whole number"), std::string::npos);
  EXPECT_NE(refusalOf("head 1.2 (query 3").find("unclosed bracket"), std::string::npos);
  EXPECT_NE(refusalOf("grad-cam (class a(b; layer 2)").find("unclosed bracket"), std::string::npos);
  EXPECT_FALSE(pageColumnFromText("").ok());
}

TEST(PageColumn, TokensAreThoseOfTheGrid) {
  const Grid grid{3, 4, 3, 1};
  EXPECT_EQ(*tokenFromText("", grid), 0);
  EXPECT_EQ(*tokenFromText("distillation", grid), 1);
  EXPECT_EQ(*tokenFromText("register1", grid), 2);
  EXPECT_EQ(*tokenFromText("5", grid), 8);
  EXPECT_EQ(*tokenFromText("1, 2", grid), 3 + 6);
  EXPECT_EQ(*tokenFromText("", Grid{3, 4, 0, 0}), 6);
  for (const char* wrong : {"register2", "12", "3,0", "0,4", "middle", "-1"})
    EXPECT_FALSE(tokenFromText(wrong, grid).ok()) << wrong;
  EXPECT_FALSE(tokenFromText("class", Grid{3, 4, 0, 0}).ok());
}

Image plainImage(int width, int height, std::uint8_t value) {
  return {width, height,
          std::make_shared<const std::vector<std::uint8_t>>(
              static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3, value)};
}

bool hasColor(const Image& image, int x, int y, const DrawnColor& color) {
  const std::uint8_t* pixel = image.row(y) + 3 * static_cast<std::ptrdiff_t>(x);
  return pixel[0] == color.red && pixel[1] == color.green && pixel[2] == color.blue;
}

/// A row with these tiles, over a black view.
PageContent contentOf(std::vector<PageTile> tiles) {
  PageContent content;
  PageRow& row = content.rows.emplace_back();
  row.view = plainImage(100, 100, 0);
  for (PageTile& tile : tiles)
    row.tiles.push_back(std::make_shared<const PageTile>(std::move(tile)));
  return content;
}

FoundObject objectOf(int index, const std::string& name, const std::array<double, 4>& box) {
  FoundObject object;
  object.index = index;
  object.name = name;
  object.score = 0.9f;
  object.box = box;
  return object;
}

TEST(FoundColumns, BoxesLieWhereTheModelFoundThem) {
  PageTile tile;
  tile.objects = {objectOf(2, "", {0.25, 0.5, 0.75, 1})};
  PageOptions options;
  options.dpi = 96;
  const Image drawn = tileImage(options, plainImage(50, 50, 0), tile, {}, 200, 200);
  EXPECT_TRUE(hasColor(drawn, 149, 180, objectColor(2)));  // its right side
  EXPECT_TRUE(hasColor(drawn, 100, 199, objectColor(2)));  // its lower side
  EXPECT_TRUE(hasColor(drawn, 140, 150, DrawnColor{}));    // inside
  EXPECT_TRUE(hasColor(drawn, 100, 50, DrawnColor{}));     // above
}

TEST(FoundColumns, AMarkedObjectHasItsBox) {
  PageTile tile;
  tile.box = BoxSides{0.25, 0.5, 0.75, 1};
  PageOptions options;
  options.dpi = 96;
  const Image drawn = tileImage(options, plainImage(50, 50, 0), tile, {}, 200, 200);
  EXPECT_TRUE(hasColor(drawn, 149, 180, foundColor()));
  EXPECT_TRUE(hasColor(drawn, 100, 199, foundColor()));
  EXPECT_TRUE(hasColor(drawn, 140, 150, DrawnColor{}));
  FigurePage page;
  page.images = {{"a.png", ""}};
  page.columns = {columnOf("lost")};
  tile.subject = "LOST";
  PageContent content = contentOf({tile});
  EXPECT_NE(pageCaption(page, content).find("Boxes: around"), std::string::npos);
  content.rows[0].name = "a.png";
  content.rows[0].matches = {{0.62, "IoU 0.62 with cat"}};
  EXPECT_NE(pageCaption(page, content).find("LOST of a.png: IoU 0.62 with cat"), std::string::npos);
}

TEST(FoundColumns, SegmentsAreThoseOfTheSeenPart) {
  auto found = std::make_shared<FoundSegments>();
  found->image = {4, 1, {kIgnoredClass, 0, 1, kIgnoredClass}};  // the model saw the middle
  found->seen = {0.25, 0, 0.5, 1};
  PageTile tile;
  tile.segments = found;
  const Image drawn = tileImage({}, plainImage(10, 10, 0), tile, {}, 40, 40);
  const auto half = [](const DrawnColor& color) {
    const auto of = [](std::uint8_t value) {
      return static_cast<std::uint8_t>(std::lround(value * 0.5));
    };
    return DrawnColor{of(color.red), of(color.green), of(color.blue)};
  };
  EXPECT_TRUE(hasColor(drawn, 2, 20, half(objectColor(0))));
  EXPECT_TRUE(hasColor(drawn, 37, 20, half(objectColor(1))));
}

TEST(FoundColumns, TheKeyNamesEveryClassOnce) {
  PageTile boxes, more;
  boxes.objects = {objectOf(7, "dog", {0, 0, 1, 1}), objectOf(2, "cat", {0, 0, 1, 1})};
  more.objects = {objectOf(2, "cat", {0, 0, 1, 1})};
  const PageContent content = contentOf({boxes, more, {}});
  const auto key = pageKey(content);
  ASSERT_EQ(key.size(), 2u);
  EXPECT_EQ(key[0].text, "cat");
  EXPECT_EQ(key[1].text, "dog");
  FigurePage page;
  page.images = {{"a.png", ""}};
  page.columns = {columnOf("boxes"), columnOf("boxes"), columnOf("image")};
  const PageLayout with = layOutPage(page, content);
  ASSERT_EQ(with.key.size(), 1u);
  page.options.bars = page.options.caption = false;
  EXPECT_TRUE(layOutPage(page, content).key.empty());
}

TEST(FoundColumns, AKeyThatDoesNotFitCountsTheRest) {
  std::vector<KeyEntry> entries;
  for (int i = 0; i < 20; ++i)
    entries.push_back({"class", objectColor(i)});
  const auto lines = keyInLines(entries, 150, 10, 2);
  ASSERT_EQ(lines.size(), 2u);
  std::size_t shown = 0;
  for (const auto& line : lines)
    for (const PlacedKey& key : line) {
      EXPECT_GE(key.left, 0);
      EXPECT_LT(key.left, 150);
      shown += key.entry.text == "class" ? 1 : 0;
    }
  EXPECT_EQ(lines[1].back().entry.text, "+ " + std::to_string(20 - shown));
}

FigurePage fullPage() {
  FigurePage page;
  page.model.name = "deit_tiny";
  page.model.partial = true;
  page.images = {{"a.jpg", ""}, {"maps.safetensors[2]", "a dog"}};
  page.columns = {columnOf("image"), columnOf("head 3.1 (query 2,4)"), columnOf("features")};
  page.columns[2].label = "colors";
  page.options.scale = "column";
  page.options.tile = 12.5;
  page.options.caption = false;
  return page;
}

TEST(FigurePage, ComesBackFromJson) {
  const FigurePage page = fullPage();
  const auto again = pageFromText(pageToText(page), "page.json");
  ASSERT_TRUE(again.ok()) << again.error().text();
  EXPECT_EQ(*again, page);
  Experiment experiment;
  experiment.masks.scheme = "sch2";
  FigurePage described = page;
  described.model.experiment = experimentToJson(experiment);
  EXPECT_EQ(*pageFromText(pageToText(described), "page.json"), described);
}

TEST(FigurePage, ErrorsAreNamedByTheirPath) {
  const auto refused = [](const char* text, const char* path) {
    const std::string whole = std::string(R"({"kind": "headlight-figure-page", )") + text + "}";
    const auto page = pageFromText(whole, "page.json");
    ASSERT_FALSE(page.ok()) << text;
    EXPECT_NE(page.error().text().find(path), std::string::npos) << page.error().text();
    EXPECT_NE(page.error().text().find("page.json"), std::string::npos) << page.error().text();
  };
  refused(R"("columns": ["picture", "haed 3.1"])", "columns[1]");
  refused(R"("columns": [{"shows": "rollout", "color": "red"}])", "columns[0].color");
  refused(R"("columns": [{"label": "b"}])", "columns[0].shows");
  refused(R"("columns": "rollout")", "columns");
  refused(R"("pictures": ["a.jpg", 3])", "images[1]");
  refused(R"("pictures": [""])", "images[0]");
  refused(R"("pictures": ["a.jpg"], "images": ["a.jpg"])", "pictures");
  refused(R"("options": {"scale": "rows"})", "options.scale");
  refused(R"("options": {"tile": 1e9})", "options.tile");
  refused(R"("options": {"tiel": 30})", "options.tiel");
  refused(R"("model": {"weight": "a"})", "model.weight");
  refused(R"("model": {"experiment": {"model": {"depth": -3}}})", "model.depth");
  refused(R"("schema": 2)", "schema");
  refused(R"("column": [])", "column");
  EXPECT_FALSE(pageFromText("{\"kind\": \"headlight-session\"}", "a").ok());
  EXPECT_FALSE(pageFromText("{", "a").ok());
  EXPECT_EQ(readFigurePage("nowhere/page.json").error().code, ErrorCode::NotFound);
}

/// Two noisy images and a model of 3 × 3 patches.
class LookedPage : public ::testing::Test {
 protected:
  void SetUp() override {
    m_session = explanationSession(microVit());
    m_masks = explanationMasks(*m_session);
    for (int i = 0; i < 2; ++i) {
      auto pixels = std::make_shared<std::vector<std::uint8_t>>();
      for (int p = 0; p < 24 * 24 * 3; ++p)
        pixels->push_back(static_cast<std::uint8_t>((p * 7919 + i * 131 + p / 72 * p) % 256));
      m_images[i] = {24, 24, pixels};
      const auto path = m_folder / ("image" + std::to_string(i) + ".png");
      valueOrThrow(writeFileAtomically(path, valueOrThrow(encodePng(m_images[i]))));
      m_page.images.push_back({path.string(), ""});
    }
    m_page.columns =
        valueOrThrow(pageColumnsFromText("image, head 1.0, layer 2, rollout, relevance, features"));
    m_page.options.style = "overlay";
  }
  PageContent inference() { return valueOrThrow(evaluatePage(*m_session, m_masks, m_page)); }
  std::string refusal() {
    const auto looked = evaluatePage(*m_session, m_masks, m_page);
    return looked ? "none" : looked.error().text();
  }
  InferenceResult lookAt(int i) { return valueOrThrow(m_session->infer(m_images[i], m_masks)); }

  TemporaryFolder m_folder;
  std::unique_ptr<InferenceSession> m_session;
  MaskScheme m_masks;
  Image m_images[2];
  FigurePage m_page;
};

TEST_F(LookedPage, MarkedObjectsAreComparedWithTrueBoxes) {
  m_page.columns = valueOrThrow(pageColumnsFromText("image, dino-mask"));
  const auto truth =
      std::make_shared<const TrueBoxes>(TrueBoxes{{{{2, 2, 18, 20}, 0, 360, false}}, {"cat"}});
  PageEvaluationOptions looking;
  looking.truth = [&](const std::string& path) {
    return path == m_page.images[0].path ? truth : nullptr;
  };
  const auto content = std::make_shared<const PageContent>(
      valueOrThrow(evaluatePage(*m_session, m_masks, m_page, looking)));
  const Heatmap expected = valueOrThrow(
      imageHeatmap(*m_session, rawImage(m_session->info(), m_images[0]), m_masks, "dino-mask"));
  const PageRow& row = content->rows[0];
  ASSERT_TRUE(row.tiles[1]->box && expected.box);
  EXPECT_EQ(*row.tiles[1]->box, *expected.box);
  EXPECT_FALSE(row.tiles[1]->blends);
  const BoxSides pixels = pixelSides(*expected.box, 24, 24, m_session->info().experiment.model);
  const TrueBoxMatch match = bestTrueBox(pixels, truth->boxes);
  ASSERT_EQ(row.matches.size(), 2u);
  EXPECT_EQ(row.matches[1].overlap, match.overlap);
  EXPECT_EQ(row.matches[1].text, matchText(match, truth->boxes, truth->classNames));
  EXPECT_TRUE(row.matches[0].text.empty());
  EXPECT_TRUE(content->rows[1].matches[1].text.empty());
  looking.before = content;  // tiles are kept; true boxes are asked for again
  looking.truth = {};
  const PageContent again = valueOrThrow(evaluatePage(*m_session, m_masks, m_page, looking));
  EXPECT_EQ(again.rows[0].tiles[1], row.tiles[1]);
  EXPECT_TRUE(again.rows[0].matches[1].text.empty());
}

TEST_F(LookedPage, TilesAreWhatIsSeen) {
  const PageContent page = inference();
  for (int i = 0; i < 2; ++i) {
    const InferenceResult seen = lookAt(i);
    const PageRow& row = page.rows[static_cast<std::size_t>(i)];
    EXPECT_FALSE(row.tiles[0]->isMap());
    EXPECT_EQ(row.tiles[1]->values, patchesSeenBy(seen.maps.layers[1], 0, 0));
    const LayerMaps& last = seen.maps.layers[2];
    for (int p = 0; p < 9; ++p) {
      double mean = 0;
      for (int h = 0; h < last.heads; ++h)
        mean += static_cast<double>(patchesSeenBy(last, h, 0)[p]) / last.heads;
      EXPECT_NEAR(row.tiles[2]->values[p], mean, 1e-6);
    }
    EXPECT_EQ(row.tiles[3]->values, *rollout(seen.maps, {}));
    const Heatmap heatmap = valueOrThrow(
        imageHeatmap(*m_session, rawImage(m_session->info(), m_images[i]), m_masks, "relevance"));
    EXPECT_EQ(row.tiles[4]->values, heatmap.values);
    EXPECT_EQ(row.tiles[4]->className, heatmap.className);
    EXPECT_TRUE(row.tiles[5]->colors.has_value());
    EXPECT_EQ(row.top.front().index, seen.top.front().index);
  }
  m_page.options.query = "1,2";
  EXPECT_EQ(inference().rows[1].tiles[1]->values,
            patchesSeenBy(lookAt(1).maps.layers[1], 0, 1 + 5));
  m_page.columns[1].query = "0";
  EXPECT_EQ(inference().rows[1].tiles[1]->values, patchesSeenBy(lookAt(1).maps.layers[1], 0, 1));
  EXPECT_EQ(columnHeading(m_page, inference(), 1), "layer 1, head 0, patch (0, 0)");
}

/// The least and greatest value of the maps at (image, column) for which `together` holds.
ValueRange naiveRange(const PageContent& inference,
                      const std::function<bool(std::size_t, std::size_t)>& together) {
  ValueRange range{std::numeric_limits<double>::infinity(),
                   -std::numeric_limits<double>::infinity()};
  for (std::size_t r = 0; r < inference.rows.size(); ++r)
    for (std::size_t c = 0; c < inference.rows[r].tiles.size(); ++c)
      if (inference.rows[r].tiles[c]->isMap() && together(r, c))
        for (const float value : inference.rows[r].tiles[c]->values) {
          range.low = std::min(range.low, static_cast<double>(value));
          range.high = std::max(range.high, static_cast<double>(value));
        }
  return range;
}

TEST_F(LookedPage, ScalesAreSharedAsTheyStandOnThePage) {
  const PageContent page = inference();
  const auto expectRanges = [&](const std::string& scale, const std::string& arrange,
                                bool sharesImage, bool sharesColumn) {
    m_page.options.scale = scale;
    m_page.options.arrange = arrange;
    const PageScales scales = pageScales(m_page, page);
    for (std::size_t r = 0; r < 2; ++r) {
      EXPECT_FALSE(scales[r][0].has_value());
      EXPECT_FALSE(scales[r][5].has_value());
      for (std::size_t c = 1; c < 5; ++c) {
        const ValueRange expected = naiveRange(page, [&](std::size_t row, std::size_t column) {
          return (!sharesImage || row == r) && (!sharesColumn || column == c);
        });
        EXPECT_EQ(scales[r][c]->range.low, expected.low) << scale << " " << arrange;
        EXPECT_EQ(scales[r][c]->range.high, expected.high) << scale << " " << arrange;
      }
    }
  };
  expectRanges("own", "rows", true, true);
  expectRanges("row", "rows", true, false);
  expectRanges("row", "columns", false, true);
  expectRanges("column", "rows", false, true);
  expectRanges("column", "columns", true, false);
  expectRanges("page", "rows", false, false);
}

TEST_F(LookedPage, MasksAreOutlinedWhereThePageWantsIt) {
  m_masks.set(1, 0, valueOrThrow(headMaskFromText("hard:1")));
  m_page.columns = {columnOf("head 1.0 (query 4)"), columnOf("head 1.1 (query 4)")};
  const PageContent content = inference();
  const PageRow& row = content.rows.front();
  EXPECT_EQ(row.tiles[0]->mask.window.size(), 4u);
  EXPECT_FALSE(row.tiles[1]->mask.isDrawn());
  const PageScales scales = pageScales(m_page, content);
  const auto pixels = [&](std::size_t column, bool outline) {
    m_page.options.maskOutline = outline;
    return *tileImage(m_page.options, row.view, *row.tiles[column], scales[0][column], 96, 96)
                .pixels;
  };
  EXPECT_NE(pixels(0, true), pixels(0, false));
  EXPECT_EQ(pixels(1, true), pixels(1, false));
  m_page.options.maskOutline = true;
  EXPECT_NE(pageCaption(m_page, content).find("Outlined: what the mask"), std::string::npos);
  m_page.options.maskOutline = false;
  EXPECT_EQ(pageCaption(m_page, content).find("Outlined"), std::string::npos);
}

TEST_F(LookedPage, WhatIsKnownIsNotWorkedOutAnew) {
  PageEvaluationOptions again;
  again.before = std::make_shared<const PageContent>(inference());
  again.read = [](const std::string& path) -> Result<Image> {
    return Error{ErrorCode::NotFound, "is read again", path};
  };
  std::swap(m_page.columns[1], m_page.columns[4]);
  const auto fresh = evaluatePage(*m_session, m_masks, m_page, again);
  ASSERT_TRUE(fresh.ok()) << fresh.error().text();
  EXPECT_EQ(fresh->rows[0].tiles[4], again.before->rows[0].tiles[1]);
  EXPECT_EQ(fresh->rows[1].tiles[5], again.before->rows[1].tiles[5]);
  m_page.options.query = "3";
  EXPECT_FALSE(evaluatePage(*m_session, m_masks, m_page, again).ok());
}

TEST_F(LookedPage, WhatCannotBeIsRefusedByItsColumn) {
  const auto refused = [&](const std::string& column, const std::string& words) {
    m_page.columns[1] = columnOf(column);
    EXPECT_NE(refusal().find(words), std::string::npos) << refusal();
    EXPECT_NE(refusal().find("columns[1]"), std::string::npos) << refusal();
  };
  refused("head 3.0", "its layers are 0 to 2");
  refused("head 1.99", "layer 1 has no head 99");
  refused("grad-cam (layer 7)", "no layer 7");
  refused("relevance (class 7)", "from 0 to 6");
  refused("head 1.0 (query 9)", "patch from 0 to 8");
  m_page.columns[1] = columnOf("image");
  m_page.options.query = "7,7";
  EXPECT_NE(refusal().find("row,column"), std::string::npos);
  m_page.options.query.clear();
  m_page.images.push_back({(m_folder / "gone.png").string(), ""});
  EXPECT_NE(refusal().find("gone.png"), std::string::npos);
  m_page.images.clear();
  EXPECT_NE(refusal().find("needs at least one image"), std::string::npos);
  m_page.images.assign(101, {"a.png", ""});
  EXPECT_NE(refusal().find("at most 100"), std::string::npos);
}

TEST_F(LookedPage, WithoutAClassifierThereIsNoRelevance) {
  ModelConfig config = microVit();
  config.classes = 0;
  m_session = explanationSession(config);
  EXPECT_NE(refusal().find("no classifier"), std::string::npos) << refusal();
  for (const PageColumn& column : usefulColumns(m_session->info(), 0, -1))
    EXPECT_NE(column.shows, "relevance");
  m_page.columns = valueOrThrow(pageColumnsFromText("image, layer 1, similarity, features"));
  EXPECT_EQ(refusal(), "none");
}

TEST_F(LookedPage, StopsAndTellsHowFarItIs) {
  PageEvaluationOptions looking;
  std::vector<Progress> reported;
  looking.progress = [&](const Progress& progress) { reported.push_back(progress); };
  ASSERT_TRUE(evaluatePage(*m_session, m_masks, m_page, looking).ok());
  ASSERT_EQ(reported.size(), 14u);
  EXPECT_EQ(reported.back().total, 14);
  EXPECT_EQ(reported.back().done, 13);
  std::stop_source stop;
  stop.request_stop();
  looking.stop = stop.get_token();
  EXPECT_EQ(evaluatePage(*m_session, m_masks, m_page, looking).error().code, ErrorCode::Canceled);
}

TEST_F(LookedPage, TilesHaveTheOriginalsPixels) {
  const Image large = resize(m_images[0], 120, 96, Interpolation::Nearest);
  valueOrThrow(writeFileAtomically(m_page.images[0].path, valueOrThrow(encodePng(large))));
  const PageContent page = inference();
  const Preprocessing seen = makePreprocessing(m_session->info().experiment.model);
  EXPECT_GT(page.rows[0].view.width, seen.width);
  EXPECT_EQ(*page.rows[0].view.pixels, *evaluationPixels(large, seen).pixels);
}

TEST_F(LookedPage, PracticallyUniformMapsAreNamed) {
  PageContent page = inference();
  auto flat = std::make_shared<PageTile>(*page.rows[0].tiles[1]);
  std::fill(flat->values.begin(), flat->values.end(), 0.25F);
  page.rows[0].tiles[1] = flat;
  EXPECT_NE(pageCaption(m_page, page)
                .find("Practically uniform (values within 10 %): layer 1, head 0 of image0.png"),
            std::string::npos)
      << pageCaption(m_page, page);
}

TEST_F(LookedPage, CaptionAndHeadingsSayWhatIsShown) {
  const PageContent page = inference();
  const std::string caption = pageCaption(m_page, page);
  for (const char* words :
       {"From left to right: the part of the image that the model sees; attention of the class "
        "token in "
        "layer 1, head 0; attention of the class token in layer 2, mean of heads; rollout",
        "class relevance (Chefer, Gur & Wolf 2021) for", "Each map has a scale of its own.",
        "random weights"})
    EXPECT_NE(caption.find(words), std::string::npos) << caption;
  EXPECT_EQ(columnHeading(m_page, page, 1), "layer 1, head 0");
  m_page.columns[1].label = "local";
  EXPECT_EQ(columnHeading(m_page, page, 1), "local");
  m_page.options.headings = false;
  EXPECT_EQ(columnHeading(m_page, page, 2), "");
  EXPECT_EQ(imageLabel(m_page, page, 0).substr(0, 6), "class ");
  m_page.options.names = "name";
  EXPECT_EQ(imageLabel(m_page, page, 1), "image1.png");
  m_page.images[1].label = "noise";
  EXPECT_EQ(imageLabel(m_page, page, 1), "noise");
  m_page.options.scale = "page";
  m_page.options.style = "headlight";
  EXPECT_NE(pageCaption(m_page, page).find("one scale, fully lit from its 98th"), std::string::npos)
      << pageCaption(m_page, page);
}

/// At 96 dpi a unit is a pixel: without words the first tile begins at the margin.
TEST_F(LookedPage, TilesOfAPngAreDrawnAsMapsAre) {
  m_page.columns = valueOrThrow(pageColumnsFromText("head 1.0, image"));
  m_page.options.dpi = 96;
  m_page.options.tile = 10;  // 38 pixels
  m_page.options.caption = m_page.options.bars = m_page.options.headings = false;
  m_page.options.names = "none";
  m_page.options.gap = 0;
  const PageContent page = inference();
  const auto path = m_folder / "page.png";
  for (const char* style : {"headlight", "warm", "overlay", "map"}) {
    m_page.options.style = style;
    valueOrThrow(writePage(path, m_page, page));
    const Image image = valueOrThrow(readImage(path));
    ASSERT_EQ(image.width, 2 * 8 + 2 * 38);
    ASSERT_EQ(image.height, 2 * 8 + 2 * 38);
    const PageTile& tile = *page.rows[0].tiles[0];
    const Image ground = resize(page.rows[0].view, 38, 38, Interpolation::Bicubic);
    const std::string name = style;
    const DrawnMap drawn =
        drawnMap(tile.values, false, name == "map" ? MapStyle::Overlay : *mapStyleFromName(name),
                 ColorMap::Viridis);
    const Image expected =
        name == "map" ? heatmap(tile.values, 3, 3, drawn.range, ColorMap::Viridis, 38, 38, true)
        : name == "overlay"
            ? overlay(ground, tile.values, 3, 3, drawn.range, ColorMap::Viridis, 0.6, true)
            : headlightImage(ground, tile.values, 3, 3, drawn.range, {name == "warm", 0.85}, true);
    for (int y = 0; y < 38; ++y) {
      EXPECT_TRUE(std::equal(expected.row(y), expected.row(y) + 38 * 3, image.row(8 + y) + 8 * 3))
          << style << " row " << y;
      EXPECT_TRUE(std::equal(ground.row(y), ground.row(y) + 38 * 3, image.row(8 + y) + 46 * 3));
    }
  }
}

/// Names of elements, each closed in the order in which they were opened.
bool isBalanced(const std::string& svg) {
  std::vector<std::string> open;
  for (std::size_t at = svg.find('<'); at != std::string::npos; at = svg.find('<', at + 1)) {
    const std::size_t end = svg.find('>', at);
    if (end == std::string::npos) return false;
    const std::string tag = svg.substr(at + 1, end - at - 1);
    if (tag.back() == '/') continue;
    const std::string name = tag.substr(0, tag.find(' '));
    if (name.front() != '/') {
      open.push_back(name);
    } else {
      if (open.empty() || open.back() != name.substr(1)) return false;
      open.pop_back();
    }
  }
  return open.empty();
}

TEST_F(LookedPage, IsWrittenAsSvgAndPdfWithRealText) {
  const PageContent page = inference();
  m_page.options.dpi = 60;
  m_page.options.title = "a <b> & c";
  for (const char* scale : {"own", "row", "column", "page"}) {
    m_page.options.scale = scale;
    valueOrThrow(writePage(m_folder / "page.svg", m_page, page));
    const std::string svg = valueOrThrow(readFile(m_folder / "page.svg", 1 << 24));
    EXPECT_TRUE(isBalanced(svg)) << scale;
    EXPECT_NE(svg.find(">rollout</text>"), std::string::npos);
    EXPECT_NE(svg.find("a &lt;b&gt; &amp; c"), std::string::npos);
    std::size_t images = 0;
    for (std::size_t at = svg.find("<image "); at != std::string::npos;
         at = svg.find("<image ", at + 1))
      ++images;
    const std::size_t bars = std::string(scale) == "own"      ? 8
                             : std::string(scale) == "row"    ? 2
                             : std::string(scale) == "column" ? 4
                                                              : 1;
    EXPECT_EQ(images, 12 + bars) << scale;
  }
  valueOrThrow(writePage(m_folder / "page.pdf", m_page, page));
  const std::string pdf = valueOrThrow(readFile(m_folder / "page.pdf", 1 << 24));
  EXPECT_TRUE(pdf.starts_with("%PDF-1.4\n"));
  EXPECT_TRUE(pdf.ends_with("\n%%EOF\n"));
  EXPECT_NE(pdf.find("(rollout) Tj"), std::string::npos);
  EXPECT_NE(pdf.find("/I12 Do"), std::string::npos);
  EXPECT_FALSE(writePage(m_folder / "page.gif", m_page, page).ok());
  EXPECT_EQ(writePage(m_folder / "none/page.pdf", m_page, page).error().code, ErrorCode::NotFound);
}

TEST_F(LookedPage, OneThatIsTooLargeSaysHowLargeItWouldBe) {
  const PageContent page = inference();
  m_page.options.tile = 300;
  m_page.options.dpi = 1200;
  const auto drawing = drawPage(m_page, page);
  ASSERT_FALSE(drawing.ok());
  EXPECT_NE(drawing.error().text().find("megapixels at 1200 dpi"), std::string::npos)
      << drawing.error().text();
  m_page.columns.pop_back();
  EXPECT_NE(drawPage(m_page, page).error().text().find("another page"), std::string::npos);
}

}  // namespace
}  // namespace headlight
