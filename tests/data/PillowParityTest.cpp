// SPDX-License-Identifier: GPL-3.0-or-later

// Every operation of RandAugment beside Pillow's, on photographs where HEADLIGHT_PHOTOS names a
// folder of some, else on images made here.

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <map>
#include <sstream>

#include "core/base/Random.h"
#include "core/base/Text.h"
#include "core/data/augment/Operations.h"
#include "tests/data/Support.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr RgbColor kFill{124, 116, 104};

struct PillowJob {
  const AugmentOperation* operation;
  double argument;
  Interpolation interpolation;
  std::string input;
  std::string output;
};

/// The first python3 that has Pillow, or nothing.
std::string pythonWithPillow() {
  for (const std::string python : {"python3", "/usr/bin/python3"})
    if (std::system((python + " -c 'import PIL.Image' 2>/dev/null").c_str()) == 0) return python;
  return "";
}

/// Smooth, flat, sharp and noisy parts; a narrow range of one channel for autocontrast.
Image procedural(int width, int height) {
  auto pixels = std::make_shared<std::vector<std::uint8_t>>();
  RandomStream draw(3);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const bool noisy = x > width / 2 && y > height / 2;
      const std::array<int, 3> color{x * 255 / width, (x / 9 + y / 7) % 2 * 200 + 20,
                                     40 + y * 150 / height};
      for (const int value : color)
        pixels->push_back(static_cast<std::uint8_t>(noisy ? draw.below(256) : value));
    }
  return {width, height, std::move(pixels)};
}

std::vector<Image> images() {
  const char* folder = std::getenv("HEADLIGHT_PHOTOS");
  if (!folder) return {procedural(97, 64), procedural(48, 80)};
  std::vector<Image> photos;
  for (const auto& file : fs::directory_iterator(folder))
    if (hasImageExtension(file.path()))
      photos.push_back(
          resize(valueOrThrow(readImage(file.path())), 224, 176, Interpolation::Bicubic));
  return photos;
}

std::string ppmOf(const Image& image) {
  return "P6 " + std::to_string(image.width) + " " + std::to_string(image.height) + " 255\n" +
         std::string(image.pixels->begin(), image.pixels->end());
}

bool moves(const AugmentOperation& operation) {
  return operation.name == "Rotate" || operation.name.starts_with("Shear") ||
         operation.name.starts_with("Translate");
}

/// At several levels, with both signs, in both interpolations, where that makes a difference.
std::vector<PillowJob> jobsFor(const AugmentOperation& operation) {
  std::vector<PillowJob> jobs;
  if (!operation.argument) return {{&operation, 0, Interpolation::Bicubic, "", ""}};
  for (const double level : {0.0, 0.3, 3.0, 6.5, 9.0, 10.0})
    for (const double sign : {1.0, -1.0})
      for (const auto interpolation : {Interpolation::Bicubic, Interpolation::Bilinear})
        if (moves(operation) || interpolation == Interpolation::Bicubic)
          jobs.push_back({&operation, operation.argument(level, sign), interpolation, "", ""});
  return jobs;
}

std::string lineOf(const PillowJob& job) {
  std::ostringstream line;
  line << job.input << ' ' << job.operation->name << ' ' << numberText(job.argument) << ' '
       << (job.interpolation == Interpolation::Bicubic ? "bicubic" : "bilinear");
  for (const int value : kFill)
    line << ' ' << value;
  line << ' ' << job.output << '\n';
  return line.str();
}

std::string pillowBytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The greatest difference of a value from Pillow's; 256 where Pillow wrote nothing that fits.
int differenceFrom(const Image& image, const PillowJob& job) {
  EditedImage edited{image.width, image.height, *image.pixels};
  job.operation->apply(edited, job.argument, {job.interpolation, kFill});
  const std::string expected = pillowBytes(job.output);
  if (expected.size() != edited.pixels.size()) return 256;
  int greatest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i)
    greatest =
        std::max(greatest, std::abs(edited.pixels[i] - static_cast<std::uint8_t>(expected[i])));
  return greatest;
}

TEST(PillowParity, EveryOperationIsWithinOneOfPillows) {
  const std::string python = pythonWithPillow();
  if (python.empty()) GTEST_SKIP() << "no python3 here has Pillow (Debian's python3-pil)";
  const test::TemporaryFolder folder;
  std::map<std::string_view, int> greatest;
  for (const Image& image : images()) {
    test::writeBytes(folder / "input.ppm", ppmOf(image));
    std::vector<PillowJob> jobs;
    for (const bool increasing : {false, true})
      for (const AugmentOperation& operation : augmentOperations(increasing))
        for (PillowJob job : jobsFor(operation)) {
          job.input = (folder / "input.ppm").string();
          job.output = (folder / (std::to_string(jobs.size()) + ".rgb")).string();
          jobs.push_back(job);
        }
    std::string lines;
    for (const PillowJob& job : jobs)
      lines += lineOf(job);
    test::writeBytes(folder / "jobs.txt", lines);
    const std::string script = HEADLIGHT_SOURCE_DIR "/tests/data/pillow_operations.py";
    ASSERT_EQ(std::system(
                  (python + " '" + script + "' '" + (folder / "jobs.txt").string() + "'").c_str()),
              0);
    for (const PillowJob& job : jobs) {
      const int difference = differenceFrom(image, job);
      EXPECT_LE(difference, 1) << lineOf(job);
      greatest[job.operation->name] = std::max(greatest[job.operation->name], difference);
    }
  }
  EXPECT_EQ(greatest.size(), 21u) << "15, six of them in two kinds";
  for (const auto& [name, difference] : greatest)
    std::cout << name << ": at most " << difference << "/255\n";
}

}  // namespace
}  // namespace headlight
