// SPDX-License-Identifier: GPL-3.0-or-later

// Films of a video: their maps are those of the same frames looked at one by one, read off the
// arrays here.

#include <gtest/gtest.h>

#include <cmath>

#include "core/workbench/figures/VideoFilm.h"
#include "core/workbench/loading/FileContent.h"
#include "core/workbench/session/Images.h"
#include "tests/TemporaryFolder.h"
#include "tests/workbench/ExplanationSupport.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr int kClipFrames = 12;

Image clipFrame(int frame) {
  std::vector<std::uint8_t> pixels(std::size_t{3} * 40 * 32, 30);
  for (int y = 4; y < 20; ++y)
    for (int x = 2 * frame; x < 2 * frame + 14; ++x)
      pixels[std::size_t{3} * (y * 40 + x) + frame % 3] = 240;
  return {40, 32, std::make_shared<const std::vector<std::uint8_t>>(std::move(pixels))};
}

class VideoFilmTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto film = valueOrThrow(FilmFile::create(file(), 0.1));
    for (int i = 0; i < kClipFrames; ++i)
      valueOrThrow(film->add(clipFrame(i)));
    valueOrThrow(film->finish());
  }
  fs::path file() const { return m_folder / "clip.avi"; }
  std::unique_ptr<VideoReader> video() const { return valueOrThrow(VideoReader::open(file())); }
  InferenceResult lookAt(std::int64_t frame) {
    return valueOrThrow(m_session->infer(valueOrThrow(readVideoFrame(file(), frame)),
                                         explanationMasks(*m_session)));
  }
  Result<std::vector<FilmedFrame>> film(const VideoFilmOptions& options, FilmFile* film = nullptr) {
    const auto reader = video();
    return filmVideo(*m_session, explanationMasks(*m_session), *reader, options, film);
  }
  TemporaryFolder m_folder;
  std::unique_ptr<InferenceSession> m_session = explanationSession(microVit());
};

TEST_F(VideoFilmTest, MapsAreTheRowsOfTheFramesMaps) {
  const InferenceResult inference = lookAt(7);
  const ModelInfo& model = m_session->info();
  const LayerMaps& layer = inference.maps.layers.front();
  VideoFilmOptions options;
  options.layer = 0;
  options.head = 1;
  options.query = 3;
  const FilmedMap one = valueOrThrow(filmedMap(inference, model, options));
  options.head = -1;
  const FilmedMap mean = valueOrThrow(filmedMap(inference, model, options));
  ASSERT_EQ(one.values.size(), 9u);
  EXPECT_EQ(one.rows, 3);
  EXPECT_EQ(one.place, "layer 0, head 1");
  EXPECT_EQ(one.subject, "attention of the patch (0, 2)");
  for (std::size_t j = 0; j < 9; ++j) {
    EXPECT_EQ(one.values[j], layer.row(1, 3)[1 + j]);
    double sum = 0;
    for (int head = 0; head < layer.heads; ++head)
      sum += double{layer.row(head, 3)[1 + j]};
    EXPECT_NEAR(mean.values[j], sum / layer.heads, 1e-6);
  }
  // Left to itself: the last layer, the mean, the class token.
  const FilmedMap own = valueOrThrow(filmedMap(inference, model, {}));
  EXPECT_EQ(own.subject, "attention of the class token");
  EXPECT_EQ(own.values, patchesSeenBy(inference.maps.layers.back(), /*query=*/0));
  options.showRollout = true;
  EXPECT_EQ(valueOrThrow(filmedMap(inference, model, options)).values,
            valueOrThrow(rollout(inference.maps, {})));
}

TEST_F(VideoFilmTest, FilmsTheChosenFrames) {
  VideoFilmOptions options;
  options.from = 1;
  options.to = 9;
  options.every = 3;
  options.width = 96;
  EXPECT_EQ(chosenFrames(video()->info(), options), 3);
  EXPECT_NEAR(secondsAFrame(video()->info(), options), 0.3, 1e-9);
  const auto target = valueOrThrow(FilmFile::create(m_folder / "film.avi", 0.3));
  const auto frames = valueOrThrow(film(options, target.get()));
  EXPECT_EQ(valueOrThrow(target->finish()), 3);
  ASSERT_EQ(frames.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(frames[i].index, 1 + 3 * static_cast<std::int64_t>(i));
    EXPECT_NEAR(frames[i].seconds, 0.1 * static_cast<double>(frames[i].index), 1e-9);
    const InferenceResult inference = lookAt(frames[i].index);
    EXPECT_EQ(frames[i].top.front().index, inference.top.front().index);
    EXPECT_NEAR(frames[i].top.front().probability, inference.top.front().probability, 1e-6);
  }
  const auto made = valueOrThrow(VideoReader::open(m_folder / "film.avi"));
  EXPECT_EQ(made->info().frames, 3);
  EXPECT_GT(made->info().width, 96);
}

/// How often `wanted` stands in `image`, pixel for pixel.
int placesOf(const Image& wanted, const Image& image) {
  int places = 0;
  for (int y = 0; y + wanted.height <= image.height; ++y)
    for (int x = 0; x + wanted.width <= image.width; ++x) {
      bool same = true;
      for (int row = 0; row < wanted.height && same; ++row)
        same = std::equal(wanted.row(row), wanted.row(row) + 3 * wanted.width,
                          image.row(y + row) + 3 * x);
      places += same;
    }
  return places;
}

std::vector<float> headOf(const InferenceResult& inference) {
  const LayerMaps& layer = inference.maps.layers[1];
  std::vector<float> values;
  for (int j = 0; j < 9; ++j)
    values.push_back(layer.row(0, 0)[static_cast<std::size_t>(1 + j)]);
  return values;
}

/// `seen`: of the frame what the model sees, in the frame's own pixels.
Image litAs(const Image& seen, const InferenceResult& inference, const DrawnMap& drawn) {
  return headlightImage(resize(seen, 90, 90, Interpolation::Bicubic), headOf(inference), 3, 3,
                        drawn.range, {}, true);
}

/// What lies under the caption is what headlightImage() draws of the same frame's map: on its own
/// scale, or on that of the maps of all frames.
TEST_F(VideoFilmTest, AFilmsImageIsTheFramesMap) {
  VideoFilmOptions options;
  options.from = 5;
  options.to = 7;
  options.every = 2;
  options.width = 90;
  options.layer = 1;
  options.head = 0;
  const std::vector<InferenceResult> inferences{lookAt(5), lookAt(7)};
  std::vector<float> all;
  for (const InferenceResult& inference : inferences)
    for (const float value : headOf(inference))
      all.push_back(value);
  const DrawnMap together = drawnMap(all, false, MapStyle::Headlight, ColorMap::Viridis);
  int different = 0;
  for (const bool oneScale : {false, true}) {
    options.oneScale = oneScale;
    const fs::path folder = m_folder / (oneScale ? "one" : "own");
    const auto target = valueOrThrow(FilmFile::create(folder, 0.1));
    EXPECT_EQ(valueOrThrow(film(options, target.get())).size(), 2u);
    EXPECT_EQ(valueOrThrow(target->finish()), 2);
    for (std::size_t i = 0; i < inferences.size(); ++i) {
      const Image image = valueOrThrow(readImage(folder / ("0000" + std::to_string(i) + ".png")));
      const DrawnMap own =
          drawnMap(headOf(inferences[i]), false, MapStyle::Headlight, ColorMap::Viridis);
      const Image frame =
          valueOrThrow(readVideoFrame(file(), 5 + 2 * static_cast<std::int64_t>(i)));
      const Image seen =
          evaluationPixels(frame, makePreprocessing(m_session->info().experiment.model));
      EXPECT_GT(seen.width, inferences[i].view.width);
      const Image wanted = litAs(seen, inferences[i], oneScale ? together : own),
                  other = litAs(seen, inferences[i], oneScale ? own : together);
      EXPECT_EQ(placesOf(wanted, image), 1) << i;
      const bool differs = *wanted.pixels != *other.pixels;
      EXPECT_EQ(placesOf(other, image), differs ? 0 : 1) << i;
      different += differs;
    }
  }
  EXPECT_GT(different, 0);
}

TEST_F(VideoFilmTest, TheTableHasALineAFrame) {
  const std::vector<FilmedFrame> frames{
      {0, 0, {{3, "a, \"b\"", 0.25f}}}, {2, 0.2, {{1, "plain", 1.f}}}, {4, 0.4, {}}};
  EXPECT_EQ(filmedTable(frames),
            "frame,time,class,probability\n0,0.0000,\"a, \"\"b\"\"\",0.250000\n"
            "2,0.2000,plain,1.000000\n4,0.4000,,\n");
}

TEST_F(VideoFilmTest, OptionsOutOfRangeAreRefused) {
  const auto refused = [&](const auto& change) {
    VideoFilmOptions options;
    change(options);
    const auto target = valueOrThrow(FilmFile::create(m_folder / "no.gif", 0.1));
    const auto frames = film(options, target.get());
    EXPECT_FALSE(fs::exists(m_folder / "no.gif"));
    return frames ? ErrorCode::Internal : frames.error().code;
  };
  const auto wrong = ErrorCode::InvalidArgument;
  EXPECT_EQ(refused([](auto& options) { options.layer = 99; }), wrong);
  EXPECT_EQ(refused([](auto& options) { options.head = 99; }), wrong);
  EXPECT_EQ(refused([](auto& options) { options.query = 99; }), wrong);
  EXPECT_EQ(refused([](auto& options) { options.every = 0; }), wrong);
  EXPECT_EQ(refused([](auto& options) { options.from = -1; }), wrong);
  EXPECT_EQ(refused([](auto& options) { options.from = 5, options.to = 2; }), wrong);
  EXPECT_EQ(refused([](auto& options) { options.width = 5; }), wrong);
  EXPECT_EQ(refused([](auto& options) { options.from = 50; }), wrong);
}

TEST_F(VideoFilmTest, StopsWhenAsked) {
  std::stop_source stop;
  const auto reader = video();
  int reported = 0;
  {
    const auto target = valueOrThrow(FilmFile::create(m_folder / "stopped.avi", 0.1));
    const auto frames = filmVideo(
        *m_session, explanationMasks(*m_session), *reader, {}, target.get(),
        [&](const Progress& progress) {
          EXPECT_EQ(progress.total, kClipFrames);
          if (++reported == 3) stop.request_stop();
        },
        stop.get_token());
    ASSERT_FALSE(frames);
    EXPECT_EQ(frames.error().code, ErrorCode::Canceled);
  }
  EXPECT_EQ(reported, 3);
  int files = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(m_folder.path()))
    ++files;
  EXPECT_EQ(files, 1);  // the clip
}

TEST_F(VideoFilmTest, FilesAreKnownForVideos) {
  EXPECT_EQ(contentOfFile(file()), FileContent::Video);
  EXPECT_EQ(identifyContent("GIF89a"), FileContent::Video);
}

}  // namespace
}  // namespace headlight
