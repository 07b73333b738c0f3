// SPDX-License-Identifier: GPL-3.0-or-later

// Crops out of JPEGs that are decoded in part: bit for bit those of the whole image; and reduced,
// where that was asked for and the image is large enough: nearly.

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>

#include "core/data/Augment.h"
#include "core/data/Loader.h"
#include "core/data/TrainingView.h"
#include "tests/data/Epochs.h"
#include "tests/data/Support.h"
#include "tests/imaging/JpegWriter.h"
#include "tests/imaging/TurnedJpeg.h"

namespace headlight {
namespace {

/// Edges and waves, as photographs have them: no noise.
Image scene(int width, int height) {
  auto pixels = std::make_shared<std::vector<std::uint8_t>>();
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (const double wave : {0.011, 0.02, 0.037}) {
        const bool inside = std::hypot(x - width / 2.0, y - height / 3.0) < width / 5.0;
        const double value = 110 + 60 * std::sin(wave * (x + 2 * y)) + (inside ? 70 : 0);
        pixels->push_back(static_cast<std::uint8_t>(value));
      }
  return {width, height, std::move(pixels)};
}

Preprocessing sized(int side) {
  Preprocessing preprocessing;
  preprocessing.width = preprocessing.height = side;
  return preprocessing;
}

Image viewOf(const std::string& jpeg, const AugmentOptions& options, int side, std::uint64_t key,
             int* decodedPixels = nullptr) {
  const auto part =
      valueOrThrow(decodeImagePart(jpeg, "test", choosePart(options, sized(side), key)));
  if (decodedPixels) *decodedPixels = part.image.width * part.image.height;
  return augmentedView(part, options, sized(side), key);
}

TEST(JpegCrops, AreThoseOfTheWholeImage) {
  for (const test::JpegKind kind : {test::JpegKind{}, {2, 2}, {2, 1}, {2, 2, false, true}}) {
    const std::string jpeg = test::encodeJpeg(scene(250, 190), kind);
    const Image whole = valueOrThrow(decodeImage(jpeg, "test"));
    AugmentOptions options;
    options.minScale = 0.08;
    options.randomInterpolation = true;
    int least = 250 * 190;
    for (std::uint64_t key = 0; key < 60; ++key) {
      int decoded = 0;
      EXPECT_EQ(*viewOf(jpeg, options, 48, key, &decoded).pixels,
                *augmentedView(whole, options, sized(48), key).pixels);
      least = std::min(least, decoded);
    }
    EXPECT_LT(least, kind.progressive ? 250 * 190 + 1 : 250 * 190 / 4);
    options.enabled = false;
    EXPECT_EQ(*viewOf(jpeg, options, 48, 1).pixels,
              *augmentedView(whole, options, sized(48), 1).pixels);
  }
}

TEST(JpegCrops, AreOfReducedImagesOnlyWhereTheyAreLarge) {
  const Preprocessing to100 = sized(100);
  EXPECT_EQ(jpegEighths(399, 5000, to100), 8);
  EXPECT_EQ(jpegEighths(400, 400, to100), 4);
  EXPECT_EQ(jpegEighths(5000, 799, to100), 4);
  EXPECT_EQ(jpegEighths(800, 800, to100), 2);
  EXPECT_EQ(jpegEighths(1600, 1600, to100), 1);
  EXPECT_EQ(jpegEighths(1, 1, to100), 8);
  const std::string jpeg = test::encodeJpeg(scene(800, 600), {2, 2});
  const Image whole = valueOrThrow(decodeImage(jpeg, "test"));
  AugmentOptions scaled;
  scaled.jpegScaling = true;
  for (const int side : {16, 40, 90, 400}) {
    double sum = 0;
    int changed = 0;
    for (std::uint64_t key = 0; key < 20; ++key) {
      const auto reduced = *viewOf(jpeg, scaled, side, key).pixels;
      const auto exact = *augmentedView(whole, scaled, sized(side), key).pixels;
      for (std::size_t i = 0; i < exact.size(); ++i)
        sum += std::abs(reduced[i] - exact[i]);
      changed += reduced != exact;
    }
    EXPECT_LT(sum / (20.0 * side * side * 3), 1.0) << side;
    EXPECT_EQ(changed > 0, side < 400) << side;
  }
}

/// The mean difference from views of the whole image, in 1/255, and how many views differ.
struct Difference {
  double mean = 0;
  int changed = 0;
};
Difference ofReduced(const std::string& jpeg, int side, int views = 20) {
  const Image whole = valueOrThrow(decodeImage(jpeg, "test"));
  AugmentOptions scaled;
  scaled.jpegScaling = true;
  Difference found;
  for (int key = 0; key < views; ++key) {
    const auto reduced = *viewOf(jpeg, scaled, side, static_cast<std::uint64_t>(key)).pixels;
    const auto exact =
        *augmentedView(whole, scaled, sized(side), static_cast<std::uint64_t>(key)).pixels;
    for (std::size_t i = 0; i < exact.size(); ++i)
      found.mean += std::abs(reduced[i] - exact[i]) / (double(views) * double(exact.size()));
    found.changed += reduced != exact;
  }
  return found;
}

TEST(JpegCrops, AreNearlyTheSameOfReducedImagesOfEveryKind) {
  std::vector<std::pair<std::string, std::string>> jpegs;
  for (const test::JpegKind& kind :
       {test::JpegKind{}, {2, 2}, {4, 1}, {1, 1, true}, {2, 2, false, true}})
    jpegs.emplace_back(std::to_string(kind.across) + " x " + std::to_string(kind.down),
                       test::encodeJpeg(scene(803, 597), kind));
  const std::string even = test::encodeJpeg(scene(800, 600), {2, 2});
  for (int orientation = 2; orientation <= 8; ++orientation)
    jpegs.emplace_back("turned " + std::to_string(orientation), test::turned(even, orientation));
  for (const auto& [name, jpeg] : jpegs) {
    // Decoded in full, each color of four pixels is only repeated; reduced, it is smooth.
    const double bound = name == "4 x 1" ? 2.0 : 1.0;
    for (const int side : {16, 40, 90}) {
      const Difference found = ofReduced(jpeg, side);
      EXPECT_LT(found.mean, bound) << name << " to " << side;
      EXPECT_GT(found.changed, 0) << name << " to " << side;
    }
  }
}

/// Mirrored, a reduced image would begin with a part of a pixel.
TEST(JpegCrops, OfMirroredImagesThatDoNotDivideEvenlyAreExact) {
  const std::string odd = test::encodeJpeg(scene(803, 597), {2, 2});
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const Difference found = ofReduced(test::turned(odd, orientation), 40);
    EXPECT_LT(found.mean, 1.0) << orientation;
    EXPECT_EQ(found.changed > 0, orientation == 1 || orientation == 5) << orientation;
  }
}

TEST(JpegCrops, OfTinyImagesAreReducedWithoutHarm) {
  for (const auto& [width, height] : {std::pair{1, 1}, {2, 3}, {5, 4}, {17, 6}, {33, 31}, {9, 200}})
    for (const int orientation : {1, 3, 6}) {
      const auto jpeg = test::turned(test::encodeJpeg(scene(width, height), {2, 2}), orientation);
      EXPECT_LT(ofReduced(jpeg, 1, 10).mean, 6) << width << " x " << height;
      EXPECT_LT(ofReduced(jpeg, 2, 10).mean, 6) << width << " x " << height;
    }
}

TEST(JpegCrops, OfFourInksAreReducedToo) {
  std::ifstream file(std::string(HEADLIGHT_GOLDEN_DIR) + "/pillow/formats/cmyk.jpg",
                     std::ios::binary);
  const std::string jpeg{std::istreambuf_iterator<char>(file), {}};
  const Image whole = valueOrThrow(decodeImage(jpeg, "cmyk.jpg"));
  const int side = std::min(whole.width, whole.height) / 6;
  ASSERT_GE(side, 1);
  const Difference found = ofReduced(jpeg, side);
  EXPECT_GT(found.changed, 0);
  EXPECT_LT(found.mean, 6);
}

TEST(JpegCrops, OfCutFilesAreRefusedAsWithoutReducing) {
  const std::string jpeg = test::encodeJpeg(scene(800, 600), {2, 2});
  AugmentOptions scaled;
  scaled.jpegScaling = true;
  for (const double share : {0.02, 0.3, 0.6, 0.97}) {
    // Its end is there: only what is decoded tells.
    const std::string cut =
        jpeg.substr(0, static_cast<std::size_t>(share * double(jpeg.size()))) + "\xff\xd9";
    const auto whole = decodeImage(cut, "cut.jpg");
    const auto part = decodeImagePart(cut, "cut.jpg", choosePart(scaled, sized(40), 3));
    ASSERT_FALSE(whole.ok()) << share;
    ASSERT_FALSE(part.ok()) << share;
    EXPECT_EQ(part.error().text(), whole.error().text());
  }
}

TEST(JpegCrops, ReducedOnesAreTheSameWithAnyNumberOfThreads) {
  const TemporaryFolder folder;
  for (const std::string name : {"a", "b"})
    for (int i = 0; i < 4; ++i)
      test::writeBytes(folder / name / (std::to_string(i) + ".jpg"),
                       test::encodeJpeg(scene(301 + 40 * i, 257 + 30 * i), {2, 2}));
  auto spec = test::specOf("image-folder", folder.path());
  spec.validationFraction = 0;
  const std::shared_ptr<const Dataset> dataset = valueOrThrow(openDataset(spec, Split::Train));
  const auto epochWith = [&](int threads, bool scaled) {
    LoaderOptions options;
    options.batchSize = 2;
    options.threads = threads;
    options.preprocessing = sized(24);
    options.augment.jpegScaling = scaled;
    Loader loader(dataset, options);
    loader.startEpoch(1);
    return test::restOfEpoch(loader);
  };
  const auto alone = epochWith(0, true);
  test::expectSame(alone, epochWith(1, true));
  test::expectSame(alone, epochWith(4, true));
  const auto whole = epochWith(1, false);
  ASSERT_EQ(whole.size(), alone.size());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    EXPECT_EQ(whole[i].indices, alone[i].indices);
    EXPECT_FALSE(at::equal(whole[i].images, alone[i].images));
    EXPECT_TRUE(at::allclose(whole[i].images, alone[i].images, 0, 0.6));
  }
}

TEST(JpegCrops, ALoaderGivesWhatItGaveOfWholeImages) {
  const TemporaryFolder folder;
  for (const std::string name : {"a", "b"})
    for (int i = 0; i < 4; ++i)
      test::writeBytes(folder / name / (std::to_string(i) + ".jpg"),
                       test::encodeJpeg(scene(120 + 10 * i, 90 + 7 * i), {2, 2}));
  auto spec = test::specOf("image-folder", folder.path());
  spec.validationFraction = 0;
  const std::shared_ptr<const Dataset> dataset = valueOrThrow(openDataset(spec, Split::Train));
  LoaderOptions options;
  options.batchSize = 4;
  options.preprocessing = sized(32);
  Loader loader(dataset, options);
  loader.startEpoch(1);
  for (const Batch& batch : test::restOfEpoch(loader))
    for (std::size_t i = 0; i < batch.indices.size(); ++i) {
      const PlacedSample placed{batch.indices[i], 0};
      const Image whole = valueOrThrow(dataset->sample(placed.index)).image;
      const auto expected = normalize(augmentedView(whole, options.augment, options.preprocessing,
                                                    augmentKey(options.seed, 1, placed)),
                                      options.preprocessing);
      const at::Tensor got = batch.images[static_cast<std::int64_t>(i)].contiguous();
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(), got.data_ptr<float>()));
    }
}

}  // namespace
}  // namespace headlight
