// SPDX-License-Identifier: GPL-3.0-or-later

// data.jpeg_scaling reaches the loader of a run, and only where JPEGs are large.

#include <gtest/gtest.h>

#include <ATen/ATen.h>

#include <cmath>

#include "core/base/files/Files.h"
#include "tests/imaging/JpegWriter.h"
#include "tests/training/Support.h"

namespace headlight {
namespace {

/// Two classes of six JPEGs, stripes that lie or stand.
void writeStripes(const std::filesystem::path& folder, int side) {
  for (int label = 0; label < 2; ++label)
    for (int i = 0; i < 6; ++i) {
      auto pixels = std::make_shared<std::vector<std::uint8_t>>();
      for (int y = 0; y < side; ++y)
        for (int x = 0; x < side; ++x)
          pixels->insert(pixels->end(), 3,
                         static_cast<std::uint8_t>(
                             128 + 100 * std::sin((label == 0 ? x : y) * (40.0 + i) / side)));
      const std::filesystem::path place = folder / (label == 0 ? "standing" : "lying");
      std::filesystem::create_directories(place);
      std::ofstream(place / (std::to_string(i) + ".jpg"), std::ios::binary)
          << test::encodeJpeg({side, side, std::move(pixels)}, {2, 2});
    }
}

std::map<std::string, at::Tensor> trainedOn(const std::filesystem::path& data, bool scaled) {
  const TemporaryFolder temporary;
  Experiment experiment = tinyExperiment();
  experiment.training.epochs = 1;
  experiment.training.batchSize = 4;
  experiment.data.dataset = kImageFolder;
  experiment.data.path = data.string();
  experiment.data.validationFraction = 0.2;
  experiment.data.jpegScaling = scaled;
  runToEnd(*begin(experiment, temporary.path() / "run"));
  return lastTensors(temporary.path() / "run");
}

TEST(JpegScaling, IsWhatTheConfigSays) {
  const TemporaryFolder small, large;  // of images of 16 pixels: below and above four times
  writeStripes(small.path(), 60);
  writeStripes(large.path(), 200);
  expectSame(trainedOn(small.path(), false), trainedOn(small.path(), true));
  const auto whole = trainedOn(large.path(), false), reduced = trainedOn(large.path(), true);
  EXPECT_FALSE(at::equal(whole.at("head.weight"), reduced.at("head.weight")));
  EXPECT_LT((whole.at("head.weight") - reduced.at("head.weight")).abs().max().item<float>(), 0.05);
}

TEST(JpegScaling, ResumesToTheSameWeights) {
  const TemporaryFolder data, temporary;
  writeStripes(data.path(), 200);
  Experiment experiment = tinyExperiment();
  experiment.training.batchSize = 4;
  experiment.data.dataset = kImageFolder;
  experiment.data.path = data.path().string();
  experiment.data.jpegScaling = true;
  runToEnd(*begin(experiment, temporary.path() / "whole"));
  valueOrThrow(runUntil(*begin(experiment, temporary.path() / "cut"), 2));
  runToEnd(*resume(temporary.path() / "cut"));
  expectSame(lastTensors(temporary.path() / "whole"), lastTensors(temporary.path() / "cut"));
}

}  // namespace
}  // namespace headlight
