// SPDX-License-Identifier: GPL-3.0-or-later

// A mechanism's own images, beside plain loops over the saved weights in double precision.

#include "core/workbench/mechanisms/MechanismPlots.h"

#include <cmath>
#include <map>

#include "tests/workbench/ExplanationSupport.h"
#include "tests/workbench/NaiveLsla.h"

namespace headlight {
namespace {

using Weights = std::map<std::string, at::Tensor>;

/// With position biases, gains and masks that are not what they start as.
std::unique_ptr<InferenceSession> stirredSession(const ModelConfig& config) {
  auto session = explanationSession(config);
  withModel(*session, [&](Model& model) {
    for (const auto& [name, tensor] : model.trainable())
      if (name.find("position_") != std::string::npos ||
          name.find("learned_mask") != std::string::npos)
        at::Tensor(tensor).normal_(0.1, 0.4);
  });
  return session;
}

ModelConfig microConfig(const std::string& name, const Json& attention = Json::object()) {
  ModelConfig config = shrunk(findPublishedModel(name)->config);
  for (const auto& [key, value] : attention.items())
    config.attention[key] = value;
  return config;
}

Weights weightsOf(InferenceSession& session) {
  Weights weights;
  withModel(session, [&](Model& model) {
    for (const auto& [name, tensor] : model.state())
      weights[name] = tensor.detach().to(at::kDouble).contiguous().clone();
  });
  return weights;
}

double at2(const at::Tensor& matrix, std::int64_t row, std::int64_t col) {
  return matrix.data_ptr<double>()[row * matrix.size(1) + col];
}

MechanismPlot picked(InferenceSession& session, const std::string& name,
                     MechanismPlotRequest request = {}) {
  return valueOrThrow(mechanismPlot(session, name, request));
}

std::vector<std::string> namesOf(InferenceSession& session) {
  std::vector<std::string> names;
  for (const MechanismPlotInfo& info : mechanismPlots(session))
    names.push_back(info.name);
  return names;
}

/// Equal in all entries but for rounding; NaN where `expected` is.
void expectEntries(const MechanismPlotPanel& panel, const std::function<double(int, int)>& expected,
                   double tolerance = 1e-5) {
  ASSERT_EQ(panel.values.size(), static_cast<std::size_t>(panel.rows) * panel.cols);
  for (int row = 0; row < panel.rows; ++row)
    for (int col = 0; col < panel.cols; ++col) {
      const float value = panel.values[row * panel.cols + col];
      const double wanted = expected(row, col);
      if (std::isnan(wanted))
        ASSERT_TRUE(std::isnan(value)) << row << " " << col;
      else
        ASSERT_NEAR(value, wanted, tolerance) << row << " " << col;
    }
}

TEST(MechanismPlots, OfAftFullAreTheProductOfItsFactors) {
  const auto session = stirredSession(microConfig("aft_full_micro"));
  EXPECT_EQ(namesOf(*session),
            (std::vector<std::string>{"position-bias", "position-weight", "keys"}));
  const Weights weights = weightsOf(*session);
  const MechanismPlot bias = picked(*session, "position-bias"),
                      weight = picked(*session, "position-weight");
  ASSERT_EQ(bias.panels.size(), 3u);
  EXPECT_EQ(weight.layers(), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(weight.heads(1), std::vector<int>{-1});
  for (int l = 0; l < 3; ++l) {
    const at::Tensor u = weights.at("blocks." + std::to_string(l) + ".attn.position_u"),
                     v = weights.at("blocks." + std::to_string(l) + ".attn.position_v");
    ASSERT_EQ(bias.panels[l].rows, 17);
    const auto product = [&](int row, int col) {
      double sum = 0;
      for (std::int64_t i = 0; i < u.size(1); ++i)
        sum += at2(u, row, i) * at2(v, col, i);
      return sum;
    };
    expectEntries(bias.panels[l], product, 1e-4);
    expectEntries(
        weight.panels[l], [&](int row, int col) { return std::exp(product(row, col)) - 1; }, 1e-2);
  }
  EXPECT_EQ(plotPlaceText(2, -1), "layer 2");
  EXPECT_EQ(plotPlaceText(2, 1), "layer 2, head 1");
}

TEST(MechanismPlots, OfAftLocalAreZeroOrNothingOutsideItsWindow) {
  for (const bool global : {true, false}) {
    ModelConfig config = microConfig("aft_full_micro");
    config.mechanism = "aft_local";
    config.attention = {{"factorized", false}, {"window", 2}, {"global", global}};
    const auto session = stirredSession(config);
    const Weights weights = weightsOf(*session);
    const MechanismPlot image = picked(*session, "position-weight", {.layer = 1});
    ASSERT_EQ(image.panels.size(), 1u);
    EXPECT_EQ(image.panels[0].layer, 1);
    const at::Tensor w = weights.at("blocks.1.attn.position_bias");
    expectEntries(image.panels[0], [&](int row, int col) {
      const bool prefix = row == 0 || col == 0;
      const int down = std::abs((row - 1) / 4 - (col - 1) / 4),
                across = std::abs((row - 1) % 4 - (col - 1) % 4);
      if (prefix || (down < 2 && across < 2)) return std::exp(at2(w, row, col)) - 1;
      return global ? 0.0 : NAN;
    });
  }
}

/// Eq. 8 and, sparse, Eq. 10, of one head.
std::vector<double> naivePlotKernel(const Weights& weights, int layer, int head,
                                    bool reparametrized, bool sparse) {
  const std::string attn = "blocks." + std::to_string(layer) + ".attn.";
  const at::Tensor taps = weights.at(attn + "position_bias")[head].flatten().contiguous();
  std::vector<double> w(taps.data_ptr<double>(), taps.data_ptr<double>() + taps.numel());
  if (reparametrized) {
    double mean = 0, variance = 0;
    for (const double tap : w)
      mean += tap / static_cast<double>(w.size());
    for (const double tap : w)
      variance += (tap - mean) * (tap - mean) / static_cast<double>(w.size());
    const double gain = weights.at(attn + "position_gain")[head].item<double>(),
                 shift = weights.at(attn + "position_shift")[head].item<double>();
    for (double& tap : w)
      tap = gain * (tap - mean) / std::sqrt(variance) + shift;
  }
  if (!sparse) return w;
  const auto peak = std::max_element(w.begin(), w.end()) - w.begin();
  for (std::size_t i = 0; i < w.size(); ++i)
    if (static_cast<std::ptrdiff_t>(i) != peak) w[i] = 0;
  return w;
}

TEST(MechanismPlots, OfAftConvAreItsKernelsAsInferenceTakesThem) {
  for (const bool reparametrized : {true, false})
    for (const bool sparse : {true, false}) {
      const auto session = stirredSession(
          microConfig("aft_conv_micro", {{"reparametrize", reparametrized}, {"gumbel", sparse}}));
      const Weights weights = weightsOf(*session);
      const MechanismPlot kernel = picked(*session, "kernel"),
                          weight = picked(*session, "kernel-weight");
      const auto heads = session->info().heads.front();
      ASSERT_EQ(kernel.panels.size(), 3u * heads);
      EXPECT_EQ(kernel.heads(2).size(), static_cast<std::size_t>(heads));
      EXPECT_EQ(weight.info.meaning.find("Eq. 10") != std::string::npos, sparse);
      for (std::size_t i = 0; i < kernel.panels.size(); ++i) {
        const MechanismPlotPanel& panel = kernel.panels[i];
        const auto w = naivePlotKernel(weights, panel.layer, panel.head, reparametrized, sparse);
        const int side = panel.cols;
        EXPECT_EQ(panel.rows * side, static_cast<int>(w.size()));
        expectEntries(panel, [&](int row, int col) { return w[row * side + col]; });
        expectEntries(
            weight.panels[i], [&](int row, int col) { return std::exp(w[row * side + col]) - 1; },
            1e-4);
      }
    }
}

/// [T, D] that enter the attention of a layer of a ViT: the norm of what its block takes in.
at::Tensor naiveEntering(InferenceSession& session, const RawImages& image, int layer,
                         const Weights& weights) {
  at::Tensor tokens;
  withModel(session, [&](Model& model) {
    tokens = model.embed(explanationTensor(image));
    for (int l = 0; l < layer; ++l)
      tokens = model.block(l, tokens, nullptr);
  });
  const at::Tensor x = tokens[0].to(at::kDouble);
  const std::string norm = "blocks." + std::to_string(layer) + ".norm1.";
  const at::Tensor centerd = x - x.mean(1, true);
  return centerd / (centerd.square().mean(1, true) + 1e-6).sqrt() * weights.at(norm + "weight") +
         weights.at(norm + "bias");
}

TEST(MechanismPlots, KeysAreTheirShareOfTheSumOverTheTokens) {
  for (const std::string name : {"aft_full_micro", "aft_conv_micro"}) {
    const ModelConfig config = microConfig(name);
    const auto session = stirredSession(config);
    const RawImages image = explanationImage(config);
    const MechanismPlot keys = picked(*session, "keys", {.image = image});
    const Weights weights = weightsOf(*session);
    const int heads = session->info().heads.front(), prefix = session->info().grid.prefix;
    ASSERT_EQ(keys.panels.size(), 3u * heads);
    for (const MechanismPlotPanel& panel : keys.panels) {
      const at::Tensor x = naiveEntering(*session, image, panel.layer, weights);
      const std::string k = "blocks." + std::to_string(panel.layer) + ".attn.k.";
      const at::Tensor key =
          (x.matmul(weights.at(k + "weight").t()) + weights.at(k + "bias")).contiguous();
      const std::int64_t each = key.size(1) / heads;
      expectEntries(panel, [&](int row, int col) {
        double mean = 0;
        for (std::int64_t f = panel.head * each; f < (panel.head + 1) * each; ++f) {
          double sum = 0;
          for (std::int64_t t = 0; t < key.size(0); ++t)
            sum += std::exp(at2(key, t, f));
          mean += std::exp(at2(key, prefix + row * 4 + col, f)) / sum / static_cast<double>(each);
        }
        return mean;
      });
    }
  }
}

TEST(MechanismPlots, OfIBiTAreTheUnrolledMaskAndItsMeanByOffset) {
  const ModelConfig config = microConfig("ibit_micro");
  const auto session = stirredSession(config);
  EXPECT_EQ(namesOf(*session), (std::vector<std::string>{"mask", "filter"}));
  const Weights weights = weightsOf(*session);
  const MechanismPlot mask = picked(*session, "mask"), filter = picked(*session, "filter");
  ASSERT_EQ(mask.panels.size(), 9u);
  for (std::size_t i = 0; i < mask.panels.size(); ++i) {
    const MechanismPlotPanel& panel = mask.panels[i];
    const std::string attn = "blocks." + std::to_string(panel.layer) + ".attn.learned_mask_";
    const at::Tensor a = weights.at(attn + "a")[panel.head].contiguous(),
                     b = weights.at(attn + "b")[panel.head].contiguous();
    constexpr int kPatches = 16;
    ASSERT_EQ(panel.rows, kPatches);
    const auto w = [&](int n, int m) {
      double sum = 0;
      for (std::int64_t f = 0; f < a.size(1); ++f)
        sum += at2(a, n, f) * at2(b, (m - n + kPatches) % kPatches, f);
      return sum;
    };
    expectEntries(panel, w);
    ASSERT_EQ(filter.panels[i].rows, 7);
    expectEntries(filter.panels[i], [&](int row, int col) {
      double sum = 0;
      int count = 0;
      for (int n = 0; n < kPatches; ++n)
        for (int m = 0; m < kPatches; ++m)
          if (m / 4 - n / 4 == row - 3 && m % 4 - n % 4 == col - 3) {
            sum += w(n, m);
            ++count;
          }
      return sum / count;
    });
  }
}

ModelConfig lslaConfig(const Json& attention = Json::object()) {
  ModelConfig config = microConfig("vit_lsla", attention);
  config.attention["window"] = 3;  // of 8 × 8: with padding, and shifted in every second block
  return config;
}

/// Of every head of a layer.
NaiveLsla naiveLayer(InferenceSession& session, const RawImages& image, const Weights& weights,
                     int layer) {
  NaiveLsla naive;
  withModel(session, [&](Model& model) {
    EnteringTokens tap;
    at::Tensor tokens = model.embed(explanationTensor(image));
    for (int l = 0; l <= layer; ++l)
      tokens = model.block(l, tokens, &tap);
    naive.tokens = tap.last[0].to(at::kDouble).contiguous();
    naive.grid = model.grid(layer);
    naive.heads = model.heads(layer);
  });
  naive.attn =
      "layers." + std::to_string(layer / 2) + ".blocks." + std::to_string(layer % 2) + ".attn.";
  naive.weights = weights;
  naive.window = 3;
  naive.shifted = layer % 2 == 1;
  naive.padsFirst = session.info().experiment.model.attention.value("padding", "") != "after_shift";
  return naive;
}

void expectAttentionPlots(const ModelConfig& config) {
  const auto session = stirredSession(config);
  EXPECT_EQ(namesOf(*session), (std::vector<std::string>{"attention-before", "attention-after",
                                                         "attention-lines", "bias-lines"}));
  const RawImages image = explanationImage(config);
  const Weights weights = weightsOf(*session);
  for (const int token : {0, 27, 62}) {
    const MechanismPlotRequest request{.image = image, .token = token};
    const MechanismPlot before = picked(*session, "attention-before", request),
                        after = picked(*session, "attention-after", request);
    EXPECT_EQ(before.tokenText,
              "patch (" + std::to_string(token / 8) + ", " + std::to_string(token % 8) + ")");
    EXPECT_EQ(plotTitle(before), "attention before B_o of the " + before.tokenText);
    for (const int layer : {0, 1, 3}) {
      const NaiveLsla naive = naiveLayer(*session, image, weights, layer);
      const int stride = 8 / naive.grid.cols,
                query = token / 8 / stride * naive.grid.cols + token % 8 / stride;
      for (std::size_t i = 0; i < before.panels.size(); ++i) {
        const MechanismPlotPanel& panel = before.panels[i];
        if (panel.layer != layer) continue;
        const auto rows = naive.ofPatches(query, panel.head);
        const auto entry = [&](const std::vector<double>& values) {
          return [&](int row, int col) { return values[row * naive.grid.cols + col]; };
        };
        expectEntries(panel, entry(rows.before));
        expectEntries(after.panels[i], entry(rows.after));
      }
    }
  }
}

TEST(MechanismPlots, OfLslaAreItsAttentionBeforeAndAfterTheOuterBias) {
  expectAttentionPlots(lslaConfig());
  expectAttentionPlots(lslaConfig({{"padding", "after_shift"}}));
}

TEST(MechanismPlots, LinesAreTheRowsOfTheTablesAtThePlaceOfTheQuery) {
  const ModelConfig config = lslaConfig();
  const auto session = stirredSession(config);
  const RawImages image = explanationImage(config);
  const Weights weights = weightsOf(*session);
  const int token = 27;
  const MechanismPlot biases = picked(*session, "bias-lines", {.token = token}),
                      lines = picked(*session, "attention-lines", {.image = image, .token = token});
  EXPECT_TRUE(biases.panels.empty());
  for (const int layer : {0, 1}) {
    const NaiveLsla naive = naiveLayer(*session, image, weights, layer);
    EXPECT_EQ(biases.heads(layer).size(), static_cast<std::size_t>(naive.heads));
    for (const MechanismPlot* one : {&biases, &lines})
      for (const MechanismPlotCurve& curve : one->curves) {
        if (curve.layer != layer) continue;
        const auto expected = naive.line(token, std::max(0, curve.head), curve.name);
        EXPECT_EQ(curve.head == -1, curve.name == "DS");
        EXPECT_EQ(curve.query, naive.placeOf(token));
        ASSERT_EQ(curve.values.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i)
          if (std::isnan(expected[i]))
            EXPECT_TRUE(std::isnan(curve.values[i])) << curve.name << i;
          else
            EXPECT_NEAR(curve.values[i], expected[i], 1e-5) << curve.name << i;
      }
  }
}

TEST(MechanismPlots, WithoutAnOuterBiasThereIsNoAfter) {
  const auto session = stirredSession(
      lslaConfig({{"outer_bias", false}, {"inner_bias", false}, {"scale", "fixed"}}));
  EXPECT_EQ(namesOf(*session), (std::vector<std::string>{"attention-before", "attention-lines"}));
}

TEST(MechanismPlots, TheClassTokenHasNoWindowAndTakesItsShare) {
  ModelConfig config = shrunk(findPublishedModel("deit_tiny")->config);
  config.mechanism = "lsla";
  config.attention = {{"window", 2}};
  const auto session = stirredSession(config);
  const RawImages image = explanationImage(config);
  const MechanismPlot before = picked(*session, "attention-before", {.image = image, .token = 6});
  EXPECT_NE(before.note.find("class token"), std::string::npos);
  double sum = 0;
  int seen = 0;
  for (const float value : before.panels[0].values)
    if (!std::isnan(value)) {
      sum += value;
      ++seen;
    }
  EXPECT_EQ(seen, 4);
  EXPECT_LT(sum, 1);
  const auto maps =
      valueOrThrow(inferRaw(*session, image, explanationMasks(*session), true)).front().maps;
  const MechanismPlot after = picked(*session, "attention-after", {.image = image, .token = 6});
  for (const MechanismPlotPanel& panel : after.panels) {
    const auto row = maps.layers[panel.layer].row(panel.head, 6);
    for (std::size_t i = 0; i < panel.values.size(); ++i)
      if (!std::isnan(panel.values[i])) {
        EXPECT_NEAR(panel.values[i], row[i + 1], 1e-6);
      }
  }
  EXPECT_EQ(mechanismPlot(*session, "bias-lines", {.token = 0}).error().code,
            ErrorCode::InvalidArgument);
}

TEST(MechanismPlots, WrongRequestsAreRefusedAndNamed) {
  const ModelConfig config = microConfig("aft_conv_micro");
  const auto session = stirredSession(config);
  const auto refusal = [&](const std::string& name, const MechanismPlotRequest& request) {
    const auto result = mechanismPlot(*session, name, request);
    EXPECT_FALSE(result);
    return result ? std::string() : result.error().text();
  };
  EXPECT_NE(refusal("mask", {}).find("kernel, kernel-weight, keys"), std::string::npos);
  EXPECT_NE(refusal("kernel", {.layer = 3}).find("no layer 3"), std::string::npos);
  EXPECT_NE(refusal("keys", {}).find("give one"), std::string::npos);
  RawImages small = explanationImage(config);
  small.width /= 2;
  EXPECT_FALSE(refusal("keys", {.image = small}).empty());
  std::stop_source stopped;
  stopped.request_stop();
  EXPECT_EQ(mechanismPlot(*session, "kernel", {}, {}, stopped.get_token()).error().code,
            ErrorCode::Canceled);
  const auto lsla = stirredSession(lslaConfig());
  EXPECT_EQ(mechanismPlot(*lsla, "bias-lines", {.token = 64}).error().code,
            ErrorCode::InvalidArgument);
  EXPECT_EQ(picked(*lsla, "bias-lines").tokenText, "patch (4, 4)");
}

TEST(MechanismPlots, SoftmaxAttentionHasNone) {
  const auto session = explanationSession(microVit());
  EXPECT_TRUE(mechanismPlots(*session).empty());
  const auto result = mechanismPlot(*session, "keys");
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().text().find("mechanism has no plots"), std::string::npos);
}

}  // namespace
}  // namespace headlight
