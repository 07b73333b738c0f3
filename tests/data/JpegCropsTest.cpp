// Crops out of JPEGs that are decoded in part: bit for bit those of the whole picture; and reduced,
// where that was asked for and the picture is large enough: nearly.

#include <gtest/gtest.h>

#include <cmath>

#include "core/data/Augment.h"
#include "core/data/Loader.h"
#include "core/data/TrainingView.h"
#include "tests/data/Epochs.h"
#include "tests/data/Support.h"
#include "tests/imaging/JpegWriter.h"

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

TEST(JpegCrops, AreThoseOfTheWholePicture) {
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

TEST(JpegCrops, AreOfReducedPicturesOnlyWhereTheyAreLarge) {
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

TEST(JpegCrops, ALoaderGivesWhatItGaveOfWholePictures) {
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
      const auto expected = normalise(augmentedView(whole, options.augment, options.preprocessing,
                                                    augmentKey(options.seed, 1, placed)),
                                      options.preprocessing);
      const at::Tensor got = batch.images[static_cast<std::int64_t>(i)].contiguous();
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(), got.data_ptr<float>()));
    }
}

}  // namespace
}  // namespace headlight
