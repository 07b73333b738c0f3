// SPDX-License-Identifier: GPL-3.0-or-later

// Files of maps: what is read of them, what is assumed and said, what is refused; and that a
// session of maps gives the numbers that a model gives of the same maps.

#include <gtest/gtest.h>

#include <ATen/ATen.h>

#include <cmath>

#include "core/analysis/Rollout.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/models/Registry.h"
#include "core/workbench/evaluation/HeadMetrics.h"
#include "core/workbench/loading/MapFile.h"
#include "core/workbench/session/RawTensors.h"
#include "tests/TemporaryFolder.h"

namespace headlight {
namespace {

using Metadata = std::map<std::string, std::string>;

class MapFileTest : public ::testing::Test {
 protected:
  std::filesystem::path write(const NamedTensors& tensors, const Metadata& metadata = {},
                              const std::string& name = "maps.safetensors") const {
    valueOrThrow(writeSafetensors(m_folder / name, tensors, metadata));
    return m_folder / name;
  }

  MapFile read(const NamedTensors& tensors, const Metadata& metadata = {}) const {
    return valueOrThrow(readMapFile(write(tensors, metadata)));
  }

  /// What reading, or else looking at the first image, says; empty where nothing is wrong.
  std::string problemOf(const NamedTensors& tensors, const Metadata& metadata = {}) const {
    const auto file = readMapFile(write(tensors, metadata));
    if (!file) return file.error().text();
    const auto maps = file->maps(0);
    return maps ? "" : maps.error().text();
  }

  TemporaryFolder m_folder;
};

/// Softmax maps of random logits, the same at every call.
at::Tensor randomMaps(const std::vector<std::int64_t>& shape, std::uint64_t seed = 1) {
  at::manual_seed(seed);
  return at::randn(shape).softmax(-1);
}

void expectSays(const std::string& text, const std::vector<std::string>& words) {
  for (const std::string& word : words)
    EXPECT_NE(text.find(word), std::string::npos) << word << " in: " << text;
}

bool anyNote(const MapFileInfo& info, const std::string& words) {
  for (const std::string& note : info.notes)
    if (note.find(words) != std::string::npos) return true;
  return false;
}

TEST_F(MapFileTest, GivesTheMapsOfEachImage) {
  const at::Tensor first = randomMaps({2, 3, 10, 10}), second = randomMaps({2, 3, 10, 10}, 2);
  const MapFile file = read({{"attention.1", second}, {"attention.0", first}});
  EXPECT_EQ(file.info().images, 2);
  EXPECT_EQ(file.info().numbers, (std::vector<int>{0, 1}));
  EXPECT_EQ(file.info().heads, (std::vector<int>{3, 3}));
  EXPECT_EQ(file.info().grids[0], (Grid{3, 3, 1}));
  EXPECT_TRUE(file.info().rowsSumToOne);
  EXPECT_FALSE(file.info().isSigned);
  const AttentionMaps maps = *file.maps(1);
  ASSERT_EQ(maps.layers.size(), 2u);
  const at::Tensor expected = second[1].contiguous();
  const std::vector<float> values(expected.data_ptr<float>(),
                                  expected.data_ptr<float>() + expected.numel());
  EXPECT_EQ(*maps.layers[1].values, values);
  EXPECT_FALSE(file.maps(2));
  EXPECT_FALSE(file.maps(-1));
}

TEST_F(MapFileTest, OneOfOtherPrecisionsAndWithoutImagesDimension) {
  const at::Tensor maps = randomMaps({2, 10, 10});
  for (const auto dtype : {at::kDouble, at::kHalf, at::kBFloat16}) {
    const MapFile file = read({{"attention.0", maps.to(dtype)}});
    EXPECT_EQ(file.info().images, 1);
    EXPECT_TRUE(file.info().rowsSumToOne) << dtype;
    EXPECT_NEAR(file.maps(0)->layers[0].row(1, 2)[3], maps[1][2][3].item<float>(), 4e-3);
  }
}

TEST_F(MapFileTest, GridIsAsGivenElseSquareAndThatIsSaid) {
  const at::Tensor maps = randomMaps({2, 13, 13});
  const Grid wide{3, 4, 1};
  EXPECT_EQ(read({{"attention.0", maps}}, {{"grid", "3, 4"}}).info().grids[0], wide);
  EXPECT_EQ(read({{"attention.0", maps}}, {{"grid", "[3, 4]"}, {"prefix", "1"}}).info().grids[0],
            wide);
  const NamedTensors byTensor{{"attention.0", maps},
                              {"grid", at::tensor(std::vector<std::int64_t>{3, 4})},
                              {"prefix", at::tensor(std::vector<float>{1})}};
  EXPECT_EQ(read(byTensor, {{"grid", "2, 2"}}).info().grids[0], wide);  // tensors count first
  const MapFile assumed = read({{"attention.0", maps}});
  EXPECT_EQ(assumed.info().grids[0], (Grid{3, 3, 4, 4}));
  EXPECT_TRUE(anyNote(assumed.info(), "3 x 3 patches after 4 prefix tokens"));
  EXPECT_FALSE(anyNote(read({{"attention.0", maps}}, {{"grid", "3, 4"}}).info(), "assuming"));
  EXPECT_EQ(read({{"attention.0", maps}}, {{"grid", "3, 3"}, {"registers", "2"}}).info().grids[0],
            (Grid{3, 3, 4, 2}));
  for (const auto& [tokens, grid] : std::map<int, Grid>{{197, {14, 14, 1}},
                                                        {196, {14, 14, 0}},
                                                        {198, {14, 14, 2}},
                                                        {201, {14, 14, 5, 4}},
                                                        {1374, {37, 37, 5, 4}}})
    EXPECT_EQ(read({{"attention.0", at::full({1, tokens, tokens}, 1.0 / tokens)}}).info().grids[0],
              grid)
        << tokens;
}

TEST_F(MapFileTest, TokensThatAreNoGridAreAnErrorThatSaysHowToGiveIt) {
  const at::Tensor maps = randomMaps({2, 16 + 3, 16 + 3});
  expectSays(problemOf({{"attention.0", maps}}),
             {"attention.0", "19 tokens", "do not form a square", "give `grid`", "prefix"});
  expectSays(problemOf({{"attention.0", maps}}, {{"prefix", "1"}}), {"after 1 prefix", "`grid`"});
  expectSays(problemOf({{"attention.0", maps}}, {{"grid", "5, 4"}}), {"19 tokens", "5 x 4"});
  expectSays(problemOf({{"attention.0", maps}}, {{"grid", "4, 4"}, {"prefix", "2"}}),
             {"19 tokens", "4 x 4", "after 2 prefix", "18"});
  for (const char* bad : {"four", "4", "4, 4, 4", "4.5, 4", "0, 4", "-4, 4", "nan, 4", ""})
    expectSays(problemOf({{"attention.0", maps}}, {{"grid", bad}}), {"grid"});
  EXPECT_EQ(problemOf({{"attention.0", maps}}, {{"prefix", "3"}}), "");
}

TEST_F(MapFileTest, LayersMayHaveGridsOfTheirOwn) {
  const NamedTensors layers{{"attention.0", randomMaps({4, 17, 17})},
                            {"attention.1", randomMaps({2, 5, 5})}};
  expectSays(problemOf(layers), {"attention.1", "5 tokens", "grid.L"});
  const MapFile file = read(layers, {{"grid.0", "4, 4"}, {"grid.1", "2, 2"}});
  EXPECT_EQ(file.info().heads, (std::vector<int>{4, 2}));
  EXPECT_EQ(file.info().grids[1], (Grid{2, 2, 1}));
  EXPECT_TRUE(rollout(*file.maps(0), {}).ok());
}

TEST_F(MapFileTest, GapsBetweenLayersAreSaid) {
  const at::Tensor maps = randomMaps({2, 10, 10});
  const MapFile file = read({{"attention.11", maps}, {"attention.3", maps}});
  EXPECT_EQ(file.info().numbers, (std::vector<int>{3, 11}));
  EXPECT_TRUE(anyNote(file.info(), "3, 11"));
}

TEST_F(MapFileTest, RowsThatDoNotSumToOneAreSaidAndNormalized) {
  const at::Tensor maps = randomMaps({2, 10, 10});
  const MapFile doubled = read({{"attention.0", maps * 2}});
  EXPECT_FALSE(doubled.info().rowsSumToOne);
  EXPECT_TRUE(anyNote(doubled.info(), "do not sum to 1"));
  const auto half = *rollout(*read({{"attention.0", maps}}).maps(0), {});
  const auto whole = *rollout(*doubled.maps(0), {});
  for (std::size_t i = 0; i < half.size(); ++i)
    EXPECT_NEAR(half[i], whole[i], 1e-6);
  const MapFile negative = read({{"attention.0", maps - 0.05}});
  EXPECT_TRUE(negative.info().isSigned);
  EXPECT_TRUE(negative.maps(0)->isSigned);
  EXPECT_TRUE(anyNote(negative.info(), "negative"));
}

TEST_F(MapFileTest, ValuesThatAreNoNumbersAreNamed) {
  for (const float bad : {NAN, INFINITY}) {
    at::Tensor maps = randomMaps({1, 2, 10, 10});
    maps[0][1][7][4] = bad;
    expectSays(problemOf({{"attention.0", randomMaps({1, 2, 10, 10})}, {"attention.5", maps}}),
               {"attention.5", "head 1", "row 7", std::isnan(bad) ? "NaN" : "infinity"});
  }
  at::Tensor second = randomMaps({2, 1, 10, 10});
  second[1][0][0][0] = NAN;
  const MapFile file = read({{"attention.0", second}});
  EXPECT_TRUE(file.maps(0));
  EXPECT_FALSE(file.maps(1));
}

TEST_F(MapFileTest, OtherShapesAndKindsAreRefused) {
  const at::Tensor good = randomMaps({2, 2, 10, 10});
  EXPECT_EQ(problemOf({{"attention.0", good}}), "");
  expectSays(problemOf({{"weight", good}}), {"no maps", "attention.0"});
  expectSays(problemOf({{"attention.0", at::rand({2, 10, 9})}}),
             {"[2, 10, 9]", "[B, heads, T, T]"});
  expectSays(problemOf({{"attention.0", good}, {"attention.1", at::rand({10, 10})}}),
             {"attention.1", "[10, 10]"});
  expectSays(problemOf({{"attention.0", at::zeros({2, 10, 10}, at::kInt)}}), {"floating-point"});
  expectSays(problemOf({{"attention.0", at::zeros({0, 2, 10, 10})}}), {"no map"});
  expectSays(problemOf({{"attention.0", good}, {"attention.1", randomMaps({3, 2, 10, 10})}}),
             {"attention.1", "3 images", "2"});
  expectSays(problemOf({{"attention.0", good}, {"logits", at::rand({3, 5})}}),
             {"logits", "[3, 5]"});
  expectSays(problemOf({{"attention.0", good}, {"logits", at::rand({2, 5})}},
                       {{"class_names", "[\"a\", \"b\"]"}}),
             {"names 2", "5"});
  expectSays(problemOf({{"attention.0", good}, {"image", at::zeros({8, 8, 3}, at::kByte)}}),
             {"image", "2 images"});
  expectSays(problemOf({{"attention.0", good}, {"images", at::zeros({2, 8, 8, 4}, at::kByte)}}),
             {"images", "3 colors"});
  expectSays(problemOf({{"attention.0", good}, {"images", at::full({2, 3, 8, 8}, NAN)}}),
             {"images", "not numbers"});
  EXPECT_FALSE(readMapFile(m_folder / "none.safetensors"));
}

TEST_F(MapFileTest, ClassNamesNestedDeepAreRefused) {
  const NamedTensors good{{"attention.0", randomMaps({1, 2, 10, 10})},
                          {"logits", at::rand({1, 1})}};
  const std::string deep = std::string(60'000, '[') + std::string(60'000, ']');
  expectSays(problemOf(good, {{"class_names", deep}}), {"maps.safetensors", "class_names", "64"});
  expectSays(problemOf(good, {{"class_names", "[\"a\""}}), {"class_names", "not valid JSON"});
  EXPECT_EQ(read(good, {{"class_names", "[cat]\n"}}).info().classNames,
            std::vector<std::string>{"[cat]"});
  EXPECT_EQ(read(good, {{"class_names", "[[1, {\"b\": 2}]]"}}).info().classNames,
            std::vector<std::string>{"[1,{\"b\":2}]"});
}

TEST_F(MapFileTest, ADamagedFileIsRefused) {
  const auto path = write({{"attention.0", randomMaps({2, 10, 10})}});
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 4);
  expectSays(readMapFile(path).error().text(), {"cut short"});
  EXPECT_FALSE(isMapFile(path));
}

TEST_F(MapFileTest, ImagesAreBytesSharesOrNormalized) {
  const at::Tensor maps = randomMaps({2, 1, 4, 4});
  at::manual_seed(3);
  const at::Tensor bytes = at::randint(0, 256, {2, 6, 5, 3}, at::kByte);
  const auto first = [](const MapFile& file) { return *file.image(1)->pixels; };
  const MapFile plain = read({{"attention.0", maps}, {"images", bytes}});
  EXPECT_EQ(plain.info().height, 6);
  EXPECT_EQ(plain.info().width, 5);
  const at::Tensor own = bytes[1].contiguous();
  const std::vector<std::uint8_t> expected(own.data_ptr<std::uint8_t>(),
                                           own.data_ptr<std::uint8_t>() + own.numel());
  EXPECT_EQ(first(plain), expected);
  EXPECT_EQ(
      first(read({{"attention.0", maps}, {"images", bytes.permute({0, 3, 1, 2}).contiguous()}})),
      expected);
  const at::Tensor shares = bytes.permute({0, 3, 1, 2}).to(at::kFloat) / 255;
  EXPECT_EQ(first(read({{"attention.0", maps}, {"images", shares}})), expected);
  const at::Tensor mean = at::tensor({0.485f, 0.456f, 0.406f}).reshape({1, 3, 1, 1}),
                   deviation = at::tensor({0.229f, 0.224f, 0.225f}).reshape({1, 3, 1, 1});
  const NamedTensors normalized{{"attention.0", maps}, {"input", (shares - mean) / deviation}};
  const MapFile known =
      read(normalized, {{"mean", "0.485, 0.456, 0.406"}, {"std", "0.229, 0.224, 0.225"}});
  EXPECT_EQ(first(known), expected);
  EXPECT_FALSE(anyNote(known.info(), "scaled from its minimum"));
  const MapFile stretched = read(normalized);
  EXPECT_TRUE(anyNote(stretched.info(), "scaled from its minimum"));
  const auto pixels = first(stretched);
  EXPECT_EQ(*std::min_element(pixels.begin(), pixels.end()), 0);
  EXPECT_EQ(*std::max_element(pixels.begin(), pixels.end()), 255);
}

TEST_F(MapFileTest, WithoutAnImageMapsLieOnGray) {
  const MapFile file = read({{"attention.0", randomMaps({1, 13, 13})}}, {{"grid", "3, 4"}});
  EXPECT_FALSE(file.info().hasImages);
  EXPECT_TRUE(anyNote(file.info(), "no image"));
  EXPECT_NE(file.info().meaning.find("gray"), std::string::npos);
  const Image ground = *file.image(0);
  EXPECT_EQ(ground.height, 48);
  EXPECT_EQ(ground.width, 64);
}

TEST_F(MapFileTest, IsRecognizedByContent) {
  EXPECT_TRUE(isMapFile(write({{"attention.0", randomMaps({2, 10, 10})}}, {}, "no ending")));
  EXPECT_TRUE(isMapFile(std::filesystem::path(HEADLIGHT_GOLDEN_DIR) / "vit_micro.io.safetensors"));
  EXPECT_FALSE(isMapFile(std::filesystem::path(HEADLIGHT_GOLDEN_DIR) / "vit_micro.safetensors"));
  EXPECT_FALSE(isMapFile(write({{"attention.weight", at::rand({2, 2})}})));
  EXPECT_FALSE(isMapFile(m_folder / "none"));
}

TEST(MapPlace, IsAFileAndAnImage) {
  const auto place = parseMapPlace("a/b.safetensors[12]");
  ASSERT_TRUE(place);
  EXPECT_EQ(place->file, "a/b.safetensors");
  EXPECT_EQ(place->image, 12);
  EXPECT_EQ(place->text(), "a/b.safetensors[12]");
  for (const char* other :
       {"", "a", "a[]", "a[-1]", "a[1]b", "[1]", "a[1", "a[x]", "a[99999999999]"})
    EXPECT_FALSE(parseMapPlace(other)) << other;
}

/// The maps of a model's look at images, written and opened again.
class MapSessionTest : public MapFileTest {
 protected:
  void SetUp() override {
    ModelSource source;
    source.weights = std::filesystem::path(HEADLIGHT_GOLDEN_DIR) / "vit_micro.safetensors";
    source.device = "cpu";
    m_model = valueOrThrow(InferenceSession::open(source));
    const RawImages images = valueOrThrow(
        readRawImages(std::filesystem::path(HEADLIGHT_GOLDEN_DIR) / "vit_micro.io.safetensors"));
    m_inferences = valueOrThrow(inferRaw(*m_model, images, masks(*m_model), true));
    valueOrThrow(writeRawResults(m_folder / "maps.safetensors", m_inferences, {}));
    ModelSource maps;
    maps.weights = m_folder / "maps.safetensors";
    m_maps = valueOrThrow(InferenceSession::open(maps));
  }

  static MaskScheme masks(const InferenceSession& session) {
    return MaskScheme(makeMaskShape(session.info().experiment.model));
  }
  std::string addressOf(int image) const {
    return MapPlace{m_folder / "maps.safetensors", image}.text();
  }
  Result<InferenceResult> infer(int image) const {
    return m_maps->infer(m_maps->imageAt(addressOf(image)), masks(*m_maps));
  }

  std::unique_ptr<InferenceSession> m_model, m_maps;
  std::vector<RawInferenceResult> m_inferences;
};

TEST_F(MapSessionTest, GivesTheNumbersThatTheModelGives) {
  EXPECT_TRUE(m_maps->info().isPrecomputed);
  EXPECT_FALSE(m_model->info().isPrecomputed);
  EXPECT_EQ(m_maps->info().heads, m_model->info().heads);
  EXPECT_EQ(m_maps->info().grid, m_model->info().grid);
  ASSERT_EQ(m_maps->info().images, static_cast<int>(m_inferences.size()));
  for (std::size_t i = 0; i < m_inferences.size(); ++i) {
    const InferenceResult ours = valueOrThrow(infer(static_cast<int>(i)));
    InferenceResult models;
    models.maps = m_inferences[i].maps;
    EXPECT_EQ(ours.logits, m_inferences[i].logits);
    ASSERT_EQ(ours.maps.layers.size(), models.maps.layers.size());
    for (std::size_t l = 0; l < models.maps.layers.size(); ++l) {
      EXPECT_EQ(*ours.maps.layers[l].values, *models.maps.layers[l].values);
      EXPECT_EQ(ours.locality[l], localityScores(models.maps.layers[l]));
    }
    EXPECT_EQ(*rollout(ours.maps, {}), *rollout(models.maps, {}));
    for (const HeadMetric measure : {HeadMetric::Locality, HeadMetric::Entropy})
      EXPECT_EQ(computeHeadValues(ours, m_maps->info(), measure)->values,
                computeHeadValues(models, m_model->info(), measure)->values);
  }
}

TEST_F(MapSessionTest, SaysWhyTheRestIsNotToBeHad) {
  const Image own = m_maps->imageAt(addressOf(0));
  const auto refused = [](const auto& result) {
    ASSERT_FALSE(result);
    expectSays(result.error().text(), {"maps without a model"});
  };
  MaskScheme masked = masks(*m_maps);
  masked.set(0, 0, valueOrThrow(headMaskFromText("hard:3")));
  refused(m_maps->infer(own, masked));
  const Image other{4, 4, std::make_shared<const std::vector<std::uint8_t>>(48)};
  refused(m_maps->infer(other, masks(*m_maps)));
  EXPECT_EQ(m_maps->imageAt("goldfinch.jpg", other).pixels, other.pixels);
  EXPECT_EQ(m_maps->imageAt(addressOf(2), other).pixels, other.pixels);  // there is none
  refused(m_maps->digest());
  refused(m_maps->save(m_folder / "saved.safetensors", masks(*m_maps)));
  refused(m_maps->previewWeights(std::filesystem::path(HEADLIGHT_GOLDEN_DIR) /
                                 "vit_micro.safetensors"));
  refused(
      m_maps->loadWeights(std::filesystem::path(HEADLIGHT_GOLDEN_DIR) / "vit_micro.safetensors"));
  refused(measureHeadMetrics(*m_maps, own, masks(*m_maps), HeadMetric::Importance));
  refused(loadExperiment(m_folder / "maps.safetensors"));
  EXPECT_TRUE(m_maps->learnedMaps()->empty());
  EXPECT_TRUE(measureHeadMetrics(*m_maps, own, masks(*m_maps), HeadMetric::Distance));
}

}  // namespace
}  // namespace headlight
