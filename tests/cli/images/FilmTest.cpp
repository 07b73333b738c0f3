// SPDX-License-Identifier: GPL-3.0-or-later

// film: a video through a model.

#include <fstream>

#include "core/imaging/video/FilmFile.h"
#include "core/imaging/video/VideoReader.h"
#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

class FilmCliTest : public ImagesCliTest {
 protected:
  void SetUp() override {
    ImagesCliTest::SetUp();
    const auto film = valueOrThrow(FilmFile::create(path("clip.avi"), 0.1));
    for (int frame = 0; frame < 8; ++frame)
      valueOrThrow(film->add(drawn(frame)));
    valueOrThrow(film->finish());
  }
  static Image drawn(int frame) {
    std::vector<std::uint8_t> pixels(std::size_t{3} * 48 * 48, 40);
    for (int y = 8; y < 30; ++y)
      for (int x = 3 * frame; x < 3 * frame + 20; ++x)
        pixels[std::size_t{3} * (y * 48 + x) + 1] = 220;
    return {48, 48, std::make_shared<const std::vector<std::uint8_t>>(std::move(pixels))};
  }
};

TEST_F(FilmCliTest, WritesAFilmATableAndJson) {
  const auto outcome = runWithModel({"film", "clip.avi", "--from", "1", "--every", "2", "--layer",
                                     "0", "--head", "1", "--query", "2,3", "--width", "64", "-o",
                                     "film.gif", "--csv", "film.csv", "--json"});
  expectOk(outcome);
  const auto json = outcome.json();
  EXPECT_EQ(json["coding"], "GIF");
  EXPECT_EQ(json["video"]["frames"], 8);
  ASSERT_EQ(json["results"].size(), 4u);
  EXPECT_EQ(json["results"][3]["frame"], 7);
  EXPECT_EQ(valueOrThrow(VideoReader::open(path("film.gif")))->info().frames, 4);
  std::ifstream table(path("film.csv"));
  std::string head, line;
  std::getline(table, head);
  EXPECT_EQ(head, "frame,time,class,probability");
  int lines = 0;
  while (std::getline(table, line))
    ++lines;
  EXPECT_EQ(lines, 4);
}

TEST_F(FilmCliTest, PredictsWhatPredictDoesOfTheFrame) {
  const std::string png =
      valueOrThrow(encodePng(valueOrThrow(readVideoFrame(path("clip.avi"), 5))));
  std::ofstream(path("frame5.png"), std::ios::binary) << png;
  const auto film = runWithModel({"film", "clip.avi", "--from", "5", "--to", "5", "--json"});
  const auto predicted = runWithModel({"predict", "frame5.png", "clip.avi[5]", "--json"});
  expectOk(film);
  expectOk(predicted);
  const auto of = film.json()["results"][0]["top"][0];
  const auto alone = predicted.json()["results"][0]["top"][0];
  const auto addressed = predicted.json()["results"][1]["top"][0];  // "clip.avi[5]"
  EXPECT_EQ(addressed["index"], alone["index"]);
  EXPECT_NEAR(addressed["probability"].get<double>(), alone["probability"].get<double>(), 1e-5);
  EXPECT_EQ(of["index"], alone["index"]);
  EXPECT_NEAR(of["probability"].get<double>(), alone["probability"].get<double>(), 1e-5);
}

TEST_F(FilmCliTest, WhatCannotBeIsRefused) {
  std::ofstream(path("text.mp4")) << "no video\n";
  for (const Arguments& wrong : {Arguments{"film", "clip.avi"},
                                 {"film", "clip.avi", "-o", "film.mkv"},
                                 {"film", "clip.avi", "--json", "--show", "dreams"},
                                 {"film", "text.mp4", "--json"}}) {
    const auto outcome = runWithModel(wrong);
    EXPECT_NE(outcome.exitCode, 0) << wrong.back();
    EXPECT_FALSE(outcome.err.empty());
    EXPECT_EQ(outcome.signal, 0);
  }
  EXPECT_FALSE(fs::exists(path("film.mkv")));
}

/// Sync bytes of a transport stream, escapes, and a manifest: nothing of it reaches the terminal.
TEST_F(FilmCliTest, AManifestIsRefusedAndNothingOfItIsPrinted) {
  std::string bytes = "G\33]0;title\7G\33[31mred";
  bytes.resize(188, ' ');
  for (int packet = 1; packet < 3; ++packet)
    bytes += "G" + std::string(187, ' ');
  std::ofstream(path("clip.ts"), std::ios::binary)
      << bytes << "G\n<?xml version='1.0'?>"
      << "<MPD profiles='urn:mpeg:dash:profile:isoff-on-demand:2011'>";
  for (const Arguments& command :
       {Arguments{"film", "clip.ts", "-o", "film.gif"}, {"predict", "clip.ts[0]"}}) {
    const auto outcome = runWithModel(command);
    EXPECT_NE(outcome.exitCode, 0) << command.front();
    EXPECT_EQ(outcome.signal, 0);
    EXPECT_NE(outcome.err.find("DASH manifest"), std::string::npos) << outcome.err;
    EXPECT_EQ((outcome.out + outcome.err).find('\33'), std::string::npos) << outcome.err;
  }
  EXPECT_FALSE(fs::exists(path("film.gif")));
}

/// "clip.avi[5]" is an image for whatever takes images, the same as the frame in a file.
TEST_F(FilmCliTest, AFrameIsAnImageEverywhere) {
  std::ofstream(path("frame5.png"), std::ios::binary)
      << valueOrThrow(encodePng(valueOrThrow(readVideoFrame(path("clip.avi"), 5))));
  const auto same = [&](Arguments arguments, const std::string& ending) {
    const auto written = [&](const std::string& image, const std::string& name) {
      Arguments whole = arguments;
      for (std::string& argument : whole)
        if (argument == "IMAGE") argument = image;
      whole.insert(whole.end(), {"-o", name + ending});
      expectOk(runWithModel(whole));
      return readBytes(path(name + ending));
    };
    const std::string frame = written("clip.avi[5]", "of-frame");
    EXPECT_FALSE(frame.empty()) << arguments.front();
    EXPECT_EQ(frame, written("frame5.png", "of-file")) << arguments.front();
  };
  same({"relative", "--image", "IMAGE"}, ".csv");
  same({"angles", "IMAGE"}, ".csv");
  expectOk(runWithModel({"figure", "clip.avi[5]", "-o", "page.png"}));
  expectOk(runWithModel({"faithfulness", "--image", "clip.avi[5]"}));
}

}  // namespace
}  // namespace headlight::testing
