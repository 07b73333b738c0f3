// SPDX-License-Identifier: GPL-3.0-or-later

// Test-time registers beside a ViT in double precision by plain loops: which neurons, what moves,
// what extra tokens alone do; what is refused; that the session stays as it was.

#include "core/workbench/interventions/Registers.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/workbench/session/RawTensors.h"
#include "tests/workbench/interventions/InterventionSupport.h"

namespace headlight {
namespace {

constexpr double kRegisterFactor = 1.05;

Image speckledImage(int side, int seed) {
  auto pixels = std::make_shared<std::vector<std::uint8_t>>();
  unsigned state = static_cast<unsigned>(seed) * 747796405u + 5;
  for (int i = 0; i < side * side * 3; ++i) {
    state = state * 1664525u + 1013904223u;
    pixels->push_back(static_cast<std::uint8_t>(state >> 24));
  }
  return {side, side, pixels};
}

/// Three images, one of which cannot be read.
ImageSource speckledImages() {
  ImageSource source;
  source.count = 4;
  source.read = [](std::int64_t i) -> Result<SourceImage> {
    if (i == 2) return Error{ErrorCode::InvalidFile, "is damaged", "c.png"};
    return SourceImage{speckledImage(24, static_cast<int>(i))};
  };
  return source;
}

RegisterRequest registerRequest(const InterventionModel& model, int registers, int neurons) {
  return {rawImage(model.session->info(), speckledImage(24, 9)),
          speckledImages(),
          {registers, neurons},
          kRegisterFactor};
}

double naiveLength(const at::Tensor& token) {
  double sum = 0;
  for (std::int64_t i = 0; i < token.size(0); ++i)
    sum += token[i].item<double>() * token[i].item<double>();
  return std::sqrt(sum);
}

/// Patches, after the class token, that are longer than the factor times the lower median.
std::vector<int> naiveOutliers(const at::Tensor& tokens) {
  std::vector<double> lengths;
  for (std::int64_t t = 1; t < tokens.size(0); ++t)
    lengths.push_back(naiveLength(tokens[t]));
  std::vector<double> sorted = lengths;
  std::sort(sorted.begin(), sorted.end());
  std::vector<int> outliers;
  for (std::size_t p = 0; p < lengths.size(); ++p)
    if (lengths[p] > kRegisterFactor * sorted[(sorted.size() - 1) / 2])
      outliers.push_back(static_cast<int>(p));
  return outliers;
}

struct NaiveSearch {
  int outlierLayer = 0;
  std::vector<RegisterNeuron> neurons;  ///< all of them, best first
};

NaiveSearch naiveSearch(const InterventionModel& model) {
  const NaiveVit vit = model.naive();
  std::vector<at::Tensor> images;
  for (const int seed : {0, 1, 3})
    images.push_back(explanationTensor(rawImage(model.session->info(), speckledImage(24, seed))));
  std::vector<std::size_t> counts(3, 0);
  for (const at::Tensor& image : images)
    for (int l = 0; l < 3; ++l)
      counts[l] += naiveOutliers(vit.pass(image).leaving[l]).size();
  NaiveSearch found;
  while (2 * counts[found.outlierLayer] < *std::max_element(counts.begin(), counts.end()))
    ++found.outlierLayer;
  std::map<std::pair<int, int>, double> sums;
  int used = 0;
  for (const at::Tensor& image : images) {
    const std::vector<int> outliers = naiveOutliers(vit.pass(image).leaving[found.outlierLayer]);
    if (outliers.empty()) continue;
    ++used;
    const NaiveParts parts = naiveParts(vit, image);
    for (int l = 0; l <= found.outlierLayer; ++l) {
      const at::Tensor hidden = parts.at({"hidden", l});
      for (int u = 0; u < hidden.size(1); ++u)
        for (const int patch : outliers)
          sums[{l, u}] +=
              hidden[1 + patch][u].item<double>() / static_cast<double>(outliers.size());
    }
  }
  for (const auto& [place, sum] : sums)
    found.neurons.push_back({place.first, place.second, sum / used});
  std::stable_sort(found.neurons.begin(), found.neurons.end(),
                   [](const auto& a, const auto& b) { return a.activation > b.activation; });
  return found;
}

/// The ViT with `count` extra tokens behind its class token, and activations moved to them.
NaiveVit naiveRegisters(NaiveVit vit, int count, const std::vector<RegisterNeuron>& neurons) {
  vit.extraTokens = count;
  vit.replace = [count, neurons](const std::string& part, int layer, const at::Tensor& value) {
    if (part != "hidden") return value;
    at::Tensor moved = value.clone();
    for (const RegisterNeuron& neuron : neurons) {
      if (neuron.layer != layer) continue;
      double largest = -1e300;
      for (std::int64_t t = 1 + count; t < value.size(0); ++t)
        largest = std::max(largest, value[t][neuron.unit].item<double>());
      for (std::int64_t t = 1; t < value.size(0); ++t)
        moved[t][neuron.unit] = t <= count ? largest : 0.0;
    }
    return moved;
  };
  return vit;
}

/// One of core's runs beside a naive one with `count` extra tokens.
void expectSameRun(const RegisterRun& run, const NaiveVit& vit, const at::Tensor& image,
                   int count) {
  const auto pass = vit.pass(image);
  EXPECT_LT(wayDistance(run.logits, vit.logits(image)), 1e-4);
  ASSERT_EQ(run.maps.size(), 3u);
  for (int l = 0; l < 3; ++l) {
    const OutlierLayer& layer = run.norms.layers[l];
    ASSERT_EQ(layer.norms.size(), 10u);
    for (int t = 0; t < 10; ++t) {
      const double norm = naiveLength(pass.leaving[l][t == 0 ? 0 : t + count]);
      EXPECT_NEAR(layer.norms[t], norm, 1e-4 * norm);
    }
    ASSERT_EQ(run.maps[l].size(), 9u);
    for (int p = 0; p < 9; ++p) {
      double seen = 0;
      for (int h = 0; h < 3; ++h)
        seen += pass.maps[l][h][0][1 + count + p].item<double>() / 3;
      EXPECT_NEAR(run.maps[l][p], seen, 1e-5);
    }
  }
}

TEST(Registers, TakeTheActivationsAsTheNaiveModel) {
  const at::NoGradGuard noGrad;
  const InterventionModel model;
  const RegisterRequest request = registerRequest(model, 2, 7);
  const auto found = applyRegisters(*model.session, request, model.masks);
  ASSERT_TRUE(found) << found.error().text();
  const NaiveSearch search = naiveSearch(model);
  EXPECT_EQ(found->fed.images, 3);
  EXPECT_EQ(found->outlierLayer, search.outlierLayer);
  ASSERT_EQ(found->neurons.size(), 7u);
  for (int i = 0; i < 7; ++i) {
    EXPECT_EQ(found->neurons[i].layer, search.neurons[i].layer) << i;
    EXPECT_EQ(found->neurons[i].unit, search.neurons[i].unit) << i;
    EXPECT_NEAR(found->neurons[i].activation, search.neurons[i].activation, 1e-4);
  }
  const at::Tensor image = explanationTensor(request.image);
  const NaiveVit vit = model.naive(), changed = naiveRegisters(vit, 2, found->neurons);
  expectSameRun(found->before, vit, image, 0);
  expectSameRun(found->after, changed, image, 2);
  EXPECT_GT(wayDistance(found->after.logits, vit.logits(image)), 1e-3);
  for (int l = 0; l < 3; ++l)
    for (int r = 0; r < 2; ++r) {
      const double norm = naiveLength(changed.pass(image).leaving[l][1 + r]);
      EXPECT_NEAR(found->registerNorms[l][r], norm, 1e-4 * (1 + norm));
    }
}

/// Nothing is read of the images, and the extra tokens are just there.
TEST(Registers, WithoutNeuronsAreTheirPresenceAlone) {
  const at::NoGradGuard noGrad;
  const InterventionModel model;
  RegisterRequest request = registerRequest(model, 3, 0);
  request.images = {};
  const auto found = valueOrThrow(applyRegisters(*model.session, request, model.masks));
  EXPECT_TRUE(found.neurons.empty());
  EXPECT_EQ(found.outlierLayer, -1);
  const at::Tensor image = explanationTensor(request.image);
  const NaiveVit vit = model.naive(), changed = naiveRegisters(vit, 3, {});
  expectSameRun(found.before, vit, image, 0);
  expectSameRun(found.after, changed, image, 3);
  EXPECT_GT(wayDistance(found.after.logits, vit.logits(image)), 1e-4);  // queries attend to them
}

TEST(Registers, LeaveTheSessionAsItWas) {
  const InterventionModel model;
  const auto logits = [&] {
    return valueOrThrow(inferRaw(*model.session, model.image, model.masks, /*withMaps=*/true))[0]
        .logits;
  };
  const auto digest = valueOrThrow(model.session->digest());
  const std::vector<float> before = logits();
  valueOrThrow(applyRegisters(*model.session, registerRequest(model, 1, 5), model.masks));
  EXPECT_EQ(logits(), before);
  EXPECT_EQ(valueOrThrow(model.session->digest()), digest);
}

/// Windows, rotary positions, MLPs of every kind and models without a class token take them too.
TEST(Registers, OtherViTsTakeThem) {
  std::vector<std::pair<std::string, ModelConfig>> models;
  for (const char* mechanism : {"talking_heads", "differential", "gated_softmax", "taylor_shift",
                                "linear_transformer", "performer", "aft_simple"}) {
    models.emplace_back(mechanism, microVit());
    models.back().second.mechanism = mechanism;
    models.back().second.attention = Json::object();
    models.back().second = checkedAndCompleted(models.back().second);
  }
  const auto with = [&](const char* name, auto change) {
    models.emplace_back(name, microVit());
    change(models.back().second);
  };
  with("no class token", [](ModelConfig& config) { config.classToken = false; });
  with("rotary", [](ModelConfig& config) { config.attention["rotary"] = "axial"; });
  with("swiglu", [](ModelConfig& config) { config.layout["mlp"] = "swiglu"; });
  with("convolution", [](ModelConfig& config) { config.layout["mlp_convolution"] = 3; });
  for (const auto& [name, config] : models) {
    const InterventionModel model(config);
    MaskScheme masks = model.masks;
    if (config.mechanism == "softmax") masks.set(1, 0, {MaskKind::Hard, 3});
    RegisterRequest request = registerRequest(model, 2, 6);
    request.factor = 1.001;
    const auto found = applyRegisters(*model.session, request, masks);
    ASSERT_TRUE(found) << name << ": " << found.error().text();
    EXPECT_NE(found->before.logits, found->after.logits) << name;
    for (const float logit : found->after.logits)
      EXPECT_TRUE(std::isfinite(logit)) << name;
    EXPECT_EQ(found->registerNorms[0].size(), 2u) << name;
    EXPECT_FALSE(registersImage(*found, RegisterImageKind::Norms, "a model").empty());
    EXPECT_FALSE(registersImage(*found, RegisterImageKind::Maps, {}).empty());
  }
}

std::string refusal(const InterventionModel& model, const RegisterRequest& request) {
  const auto found = applyRegisters(*model.session, request, model.masks);
  return found ? "" : found.error().text();
}

TEST(Registers, ModelsWithoutAPlaceForThemAreRefused) {
  for (const auto& [published, word] :
       {std::pair{"swin_tiny", "backbone swin"}, std::pair{"convit_tiny", "backbone convit"}}) {
    const PublishedModel* like = findPublishedModel(published);
    ASSERT_TRUE(like) << published;
    const InterventionModel model(shrunk(like->config));
    RegisterRequest request{model.image, {}, {1, 0}};
    EXPECT_NE(refusal(model, request).find(word), std::string::npos) << published;
  }
  ModelConfig config = microVit();
  config.mechanism = "linear_angular";
  config.attention = Json::object();
  config = checkedAndCompleted(config);
  const InterventionModel bound(config);
  EXPECT_NE(refusal(bound, {bound.image, {}, {1, 0}}).find("mechanism linear_angular"),
            std::string::npos);
  config = microVit();
  config.attention["relative_positions"] = true;
  const InterventionModel biased(config);
  EXPECT_NE(refusal(biased, {biased.image, {}, {1, 0}}).find("position biases"), std::string::npos);
}

TEST(Registers, RequestsThatMeanNothingAreRefused) {
  const InterventionModel model;
  EXPECT_NE(refusal(model, registerRequest(model, 0, 5)).find("1 to 16"), std::string::npos);
  EXPECT_NE(refusal(model, registerRequest(model, 17, 5)).find("1 to 16"), std::string::npos);
  RegisterRequest request = registerRequest(model, 1, 5);
  request.factor = 1;
  EXPECT_NE(refusal(model, request).find("greater than 1"), std::string::npos);
  request.factor = 1000;
  EXPECT_NE(refusal(model, request).find("nothing to move"), std::string::npos);
  request = registerRequest(model, 1, 5);
  std::stop_source stop;
  stop.request_stop();
  const auto stopped = applyRegisters(*model.session, request, model.masks, {}, stop.get_token());
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::Canceled);
}

TEST(Registers, ATableHasALineForEveryLayer) {
  const InterventionModel model;
  const auto found =
      valueOrThrow(applyRegisters(*model.session, registerRequest(model, 1, 4), model.masks));
  const std::string csv = registersCsv(found);
  EXPECT_TRUE(csv.starts_with("layer,outliers_before,outliers_after,max_before,max_after,"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 4);
  EXPECT_NE(registersTitle(found).find("intervention"), std::string::npos);
}

}  // namespace
}  // namespace headlight
