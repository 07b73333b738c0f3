// SPDX-License-Identifier: GPL-3.0-or-later

// Mean attention by offset over images, beside loops over the maps that looks have; its files.

#include "core/workbench/attribution/RelativeMaps.h"

#include <cmath>
#include <sstream>

#include "core/base/files/Files.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/workbench/figures/RelativeFigure.h"
#include "core/workbench/loading/MapFile.h"
#include "tests/TemporaryFolder.h"
#include "tests/workbench/ExplanationSupport.h"

namespace headlight {
namespace {

Image noiseImage(int seed, int side = 32) {
  auto pixels = std::make_shared<std::vector<std::uint8_t>>();
  std::uint32_t state = 77u + static_cast<std::uint32_t>(seed);
  for (int i = 0; i < side * side * 3; ++i)
    pixels->push_back(static_cast<std::uint8_t>((state = state * 1664525u + 1013904223u) >> 24));
  return {side, side, pixels};
}

ImageSource feedOfNoise(int count) {
  return {count, [](std::int64_t index) -> Result<SourceImage> {
            return SourceImage{noiseImage(static_cast<int>(index))};
          }};
}

double naiveMapOffset(const std::vector<InferenceResult>& inferences, std::size_t layer, int head,
                      int dr, int dc) {
  double sum = 0;
  int count = 0;
  for (const InferenceResult& inference : inferences) {
    const LayerMaps& maps = inference.maps.layers[layer];
    const Grid& grid = maps.grid;
    for (int r = 0; r < grid.rows; ++r)
      for (int c = 0; c < grid.cols; ++c) {
        const int y = r + dr, x = c + dc;
        if (y < 0 || x < 0 || y >= grid.rows || x >= grid.cols) continue;
        const auto row = maps.row(head, grid.prefix + r * grid.cols + c);
        sum += row[static_cast<std::size_t>(grid.prefix + y * grid.cols + x)];
        ++count;
      }
  }
  return sum / count;
}

void expectAsInferences(InferenceSession& session, const RelativeMaps& maps, int images) {
  std::vector<InferenceResult> inferences;
  for (int i = 0; i < images; ++i)
    inferences.push_back(valueOrThrow(session.infer(noiseImage(i), explanationMasks(session))));
  ASSERT_EQ(maps.layers.size(), session.info().heads.size());
  for (std::size_t l = 0; l < maps.layers.size(); ++l) {
    const RelativeLayer& layer = maps.layers[l];
    ASSERT_EQ(layer.heads, session.info().heads[l]);
    for (int h = 0; h < layer.heads; ++h)
      for (int dr = 1 - layer.grid.rows; dr < layer.grid.rows; ++dr)
        for (int dc = 1 - layer.grid.cols; dc < layer.grid.cols; ++dc)
          EXPECT_NEAR(layer.at(h, dr, dc), naiveMapOffset(inferences, l, h, dr, dc), 1e-6);
  }
}

TEST(RelativeMaps, AreMeansOfTheMapsThatAreLookedAt) {
  for (const char* name : {"deit_tiny", "swin_tiny", "castling_deit_tiny", "aft_full_tiny"}) {
    const auto* published = findPublishedModel(name);
    ASSERT_TRUE(published) << name;
    const auto session = explanationSession(shrunk(published->config));
    const auto maps =
        valueOrThrow(measureRelative(*session, feedOfNoise(3), explanationMasks(*session)));
    EXPECT_EQ(maps.fed.images, 3);
    EXPECT_EQ(maps.scale == RelativeScale::AboutZero, session->info().mapIsSigned) << name;
    EXPECT_EQ(maps.meaning, session->info().mapMeaning);
    expectAsInferences(*session, maps, 3);
  }
}

/// A file of maps has no model: its images are averaged by themselves.
TEST(RelativeMaps, OfMapsAlone) {
  const TemporaryFolder folder;
  at::manual_seed(3);
  const at::Tensor values = at::randn({2, 2, 10, 10}).softmax(-1);
  const auto path = folder.path() / "maps.safetensors";
  valueOrThrow(writeSafetensors(path, {{"attention.0", values}}, {}));
  ModelSource source;
  source.weights = path;
  const auto session = valueOrThrow(InferenceSession::open(source));
  const auto maps =
      valueOrThrow(measureRelative(*session, feedOfMaps(*session), explanationMasks(*session)));
  EXPECT_EQ(maps.fed.images, 2);
  const at::Tensor patches = values.slice(2, 1).slice(3, 1);
  EXPECT_NEAR(maps.layers[0].at(1, 0, 0),
              patches.select(1, 1).diagonal(0, 1, 2).mean().item<double>(), 1e-6);
  EXPECT_NEAR(maps.layers[0].at(0, 2, -2),
              patches.select(1, 0).select(1, 2).select(1, 6).mean().item<double>(), 1e-6);
  const auto one =
      valueOrThrow(measureRelative(*session, feedOfMaps(*session, 1), explanationMasks(*session)));
  EXPECT_NEAR(one.layers[0].at(0, 2, -2), patches[1][0][2][6].item<double>(), 1e-6);
  EXPECT_FALSE(measureRelative(*session, feedOfMaps(*session, 5), explanationMasks(*session)));
}

TEST(RelativeMaps, PassOverWhatCannotBeReadAndStop) {
  const auto session = explanationSession(microVit());
  const MaskScheme masks = explanationMasks(*session);
  ImageSource some = feedOfNoise(3);
  some.read = [](std::int64_t index) -> Result<SourceImage> {
    if (index == 1) return Error{ErrorCode::InvalidFile, "is damaged", "b.png"};
    return SourceImage{noiseImage(static_cast<int>(index))};
  };
  std::vector<Progress> reported;
  const auto maps = valueOrThrow(measureRelative(
      *session, some, masks, [&](const Progress& progress) { reported.push_back(progress); }));
  EXPECT_EQ(maps.fed.images, 2);
  ASSERT_EQ(maps.fed.unread.size(), 1u);
  EXPECT_NE(maps.fed.unread[0].find("b.png"), std::string::npos);
  EXPECT_EQ(fedText(maps.fed), "2 images (1 could not be read)");
  some.of = "the validation split of flowers";
  EXPECT_EQ(fedText(valueOrThrow(measureRelative(*session, some, masks)).fed),
            "2 images (1 could not be read), the validation split of flowers");
  EXPECT_EQ(reported.back().done, reported.back().total);
  for (std::size_t i = 1; i < reported.size(); ++i)
    EXPECT_LE(reported[i - 1].done, reported[i].done);
  some.read = [](std::int64_t) -> Result<SourceImage> {
    return Error{ErrorCode::InvalidFile, "is damaged", "b.png"};
  };
  EXPECT_EQ(measureRelative(*session, some, masks).error().code, ErrorCode::InvalidFile);
  EXPECT_EQ(measureRelative(*session, {}, masks).error().code, ErrorCode::InvalidArgument);
  EXPECT_FALSE(measureRelative(*session, feedOfNoise(1), MaskScheme(MaskShape{{1, 1}})));
  std::stop_source stopped;
  const auto late = measureRelative(
      *session, feedOfNoise(50), masks, [&](const Progress&) { stopped.request_stop(); },
      stopped.get_token());
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::Canceled);
}

/// A dataset's images, with labels where its classes are the model's.
TEST(RelativeMaps, OfADataSet) {
  ModelConfig config = microVit();
  config.classes = 9;  // of texture-shape
  const auto session = explanationSession(config);
  ImageSample sample;
  sample.data.validationSamples = 18;
  sample.samples = 5;
  const ImageSource feed = valueOrThrow(makeImageSource(session->info(), sample));
  EXPECT_EQ(feed.count, 5);
  for (int i = 0; i < 5; ++i) {
    const auto image = valueOrThrow(feed.read(i));
    EXPECT_GE(image.label, 0);
    EXPECT_LT(image.label, 9);
  }
  EXPECT_EQ(valueOrThrow(measureRelative(*session, feed, explanationMasks(*session))).fed.images,
            5);
  config.classes = 4;  // fewer than the data has: no labels
  const auto other = explanationSession(config);
  EXPECT_EQ(valueOrThrow(valueOrThrow(makeImageSource(other->info(), sample)).read(0)).label, -1);
  sample.data.dataset = "folder";
  sample.data.path = "/nowhere";
  EXPECT_FALSE(makeImageSource(session->info(), sample));
}

RelativeMaps someMaps(RelativeScale scale) {
  RelativeMaps maps;
  maps.title = "mean attention by offset";
  maps.scale = scale;
  maps.fed.images = 4;
  for (const Grid& grid : {Grid{2, 3, 1}, Grid{1, 1, 0}}) {
    RelativeLayer layer{grid, 2, {}};
    for (int i = 0; i < 2 * layer.rows() * layer.cols(); ++i)
      layer.values.push_back(scale == RelativeScale::AboutZero ? 0.1 * (i - 4) : 0.25 * (i + 1));
    maps.layers.push_back(layer);
  }
  return maps;
}

TEST(RelativeFigure, ColorsRunOverWhatTheyAreSaidTo) {
  const RelativeMaps plain = someMaps(RelativeScale::FromZero);
  EXPECT_EQ(relativeRange(plain, 0, 1, {}).low, 0);
  EXPECT_FLOAT_EQ(relativeRange(plain, 0, 1, {}).high, 7.5);
  EXPECT_FLOAT_EQ(relativeRange(plain, 1, 0, {.oneScale = true}).high, 7.5);
  const RelativeMaps about = someMaps(RelativeScale::AboutZero);
  EXPECT_FLOAT_EQ(relativeRange(about, 0, 0, {}).low, -relativeRange(about, 0, 0, {}).high);
  EXPECT_EQ(relativeColors(about, {}), ColorMap::Diverging);
  const RelativeMaps ratio = someMaps(RelativeScale::AboutOne);
  EXPECT_FLOAT_EQ(relativeRange(ratio, 0, 0, {}).high, 2);  // 1/4 is as far from 1 as 4
  EXPECT_FLOAT_EQ(relativeRange(ratio, 0, 0, {}).low, -2);
  // The pixel of the greatest value has the color map's upper end.
  const Image tile = relativeTile(plain, 0, 1, {}, 10, 6);
  const auto top = colorOf(ColorMap::Viridis, 1);
  for (int c = 0; c < 3; ++c)
    EXPECT_EQ(tile.row(5)[9 * 3 + c], top[static_cast<std::size_t>(c)]);
}

TEST(RelativeFigure, FilesHaveTheNumbers) {
  const TemporaryFolder folder;
  RelativeMaps maps = someMaps(RelativeScale::FromZero);
  const std::string csv = relativeCsv(maps);
  EXPECT_EQ(csv.substr(0, 57), "layer,head,row,column,value\n0,0,-1,-2,0.25\n0,0,-1,-1,0.5\n");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 2 * 3 * 5 + 2);
  maps.layers[1].values[0] = NAN;
  EXPECT_NE(relativeCsv(maps).find("1,0,0,0,\n"), std::string::npos);
  const auto arrays = relativeArrays(maps, "relative");
  ASSERT_EQ(arrays.size(), 2u);
  EXPECT_EQ(arrays[0].name, "relative.0");
  EXPECT_EQ(arrays[0].shape, (std::vector<std::int64_t>{2, 3, 5}));
  EXPECT_EQ(arrays[0].values[29], 7.5f);
  for (const char* name : {"r.svg", "r.pdf", "r.png", "r.csv"}) {
    valueOrThrow(writeRelativeFigure(folder.path() / name, maps, {.subject = "deit_tiny"}));
    EXPECT_GT(valueOrThrow(readFile(folder.path() / name, 1 << 22)).size(), 100u) << name;
  }
  const std::string svg = valueOrThrow(readFile(folder.path() / "r.svg", 1 << 22));
  for (const char* words : {"deit_tiny", "4 images", "head 1", "layer 1", "<image"})
    EXPECT_NE(svg.find(words), std::string::npos) << words;
  EXPECT_FALSE(writeRelativeFigure(folder.path() / "r.txt", maps, {}));
  EXPECT_FALSE(writeRelativeFigure(folder.path() / "none" / "r.png", maps, {}));
}

}  // namespace
}  // namespace headlight
