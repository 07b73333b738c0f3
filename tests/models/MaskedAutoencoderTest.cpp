// SPDX-License-Identifier: GPL-3.0-or-later

// MAE against the paper written down naively in double precision, patch by patch and token by token.

#include "core/models/backbones/MaskedAutoencoder.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <numeric>
#include <set>

#include "core/attention/base/AttentionHook.h"
#include "core/models/pretraining/KeptPatches.h"
#include "core/models/pretraining/PixelPatches.h"
#include "core/models/pretraining/SinePositions.h"
#include "tests/models/Pairings.h"

namespace headlight {
namespace {

using Tensors = std::map<std::string, at::Tensor>;

/// 12 × 8 pixels as 3 × 2 patches of 4, of which 2 are kept.
ModelConfig microAutoencoder(const std::string& mechanism = "softmax",
                             const Json& attention = Json::object()) {
  ModelConfig config;
  config.name = "custom";
  config.backbone = "mae";
  config.mechanism = mechanism;
  config.attention = attention;
  config.imageSize = 12;
  config.imageWidth = 8;
  config.patchSize = 4;
  config.classes = 0;
  config.positions = "none";
  config.width = 8;
  config.depth = 2;
  config.heads = 2;
  config.mlpRatio = 2;
  config.layout = {
      {"mask_ratio", 0.6}, {"decoder_width", 12}, {"decoder_depth", 1}, {"decoder_heads", 3}};
  return checkedAndCompleted(config);
}

std::shared_ptr<Model> doubleModel(const ModelConfig& config) {
  const auto model = makeModel(config, 3);
  model->to(at::kDouble);
  const at::NoGradGuard noGrad;
  at::manual_seed(11);
  for (auto& [name, tensor] : model->trainable())  // norms and biases count, too
    at::Tensor(tensor).add_(0.1 * at::randn_like(tensor));
  return model;
}

at::Tensor doubleImages(const ModelConfig& config, std::int64_t count = 2) {
  at::manual_seed(5);
  return at::randn({count, 3, config.imageHeightPixels(), config.imageWidthPixels()}, at::kDouble);
}

at::Tensor keptOfTwo() {
  return at::tensor({1, 4, 0, 3}, at::kLong).view({2, 2});
}

// ---- The reference ---------------------------------------------------------------------------------

/// One image at a time, explicit matrices.
class NaiveAutoencoder {
 public:
  NaiveAutoencoder(const ModelConfig& config, Tensors weights)
      : m_config(config), m_weights(std::move(weights)) {}

  /// The loss of one image [3, H, W], of which the patches `kept` are seen.
  double loss(const at::Tensor& image, const std::vector<std::int64_t>& kept) const {
    const at::Tensor predicted = decode(encode(image, kept), kept);
    const std::set<std::int64_t> seen(kept.begin(), kept.end());
    double sum = 0;
    std::int64_t dropped = 0;
    for (std::int64_t patch = 0; patch < rows() * cols(); ++patch) {
      if (seen.contains(patch)) continue;
      sum += errorOf(predicted[patch], pixelsOf(image, patch));
      ++dropped;
    }
    return sum / static_cast<double>(dropped);
  }

 private:
  std::int64_t rows() const { return m_config.imageHeightPixels() / m_config.patchSize; }
  std::int64_t cols() const { return m_config.imageWidthPixels() / m_config.patchSize; }
  const at::Tensor& w(const std::string& name) const { return m_weights.at(name); }

  /// Row by row, colors last.
  std::vector<double> pixelsOf(const at::Tensor& image, std::int64_t patch) const {
    const std::int64_t p = m_config.patchSize;
    std::vector<double> values;
    for (std::int64_t y = 0; y < p; ++y)
      for (std::int64_t x = 0; x < p; ++x)
        for (std::int64_t color = 0; color < 3; ++color)
          values.push_back(
              image[color][patch / cols() * p + y][patch % cols() * p + x].item<double>());
    return values;
  }

  static double errorOf(const at::Tensor& predicted, const std::vector<double>& pixels) {
    const auto count = static_cast<double>(pixels.size());
    const double mean = std::accumulate(pixels.begin(), pixels.end(), 0.0) / count;
    double squares = 0, error = 0;
    for (const double value : pixels)
      squares += (value - mean) * (value - mean);
    const double deviation = std::sqrt(squares / (count - 1) + 1e-6);
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      const double wanted = (pixels[i] - mean) / deviation;
      const double off = predicted[static_cast<std::int64_t>(i)].item<double>() - wanted;
      error += off * off / count;
    }
    return error;
  }

  /// As facebookresearch/mae's get_2d_sincos_pos_embed: columns first; a buffer of float32.
  static double positionAt(std::int64_t row, std::int64_t col, std::int64_t feature,
                           std::int64_t width) {
    const std::int64_t half = width / 2, quarter = width / 4;
    const auto place = static_cast<double>(feature < half ? col : row);
    const std::int64_t i = feature % half;
    const double omega =
        1 / std::pow(10000.0, static_cast<double>(i % quarter) / static_cast<double>(quarter));
    return static_cast<float>(i < quarter ? std::sin(place * omega) : std::cos(place * omega));
  }
  at::Tensor positionOf(std::int64_t patch, std::int64_t width) const {
    at::Tensor position = at::zeros({width}, at::kDouble);
    for (std::int64_t f = 0; f < width; ++f)
      position[f] = positionAt(patch / cols(), patch % cols(), f, width);
    return position;
  }

  at::Tensor norm(const at::Tensor& x, const std::string& name) const {
    const at::Tensor off = x - x.mean(-1, true);
    const at::Tensor deviation = (off.square().mean(-1, true) + 1e-6).sqrt();
    return off / deviation * w(name + ".weight") + w(name + ".bias");
  }
  at::Tensor linear(const at::Tensor& x, const std::string& name) const {
    return x.matmul(w(name + ".weight").t()) + w(name + ".bias");
  }
  static at::Tensor gelu(const at::Tensor& x) { return 0.5 * x * (1 + (x / std::sqrt(2.0)).erf()); }

  /// Softmax attention of one head, or what linear-angular attention is without its branch: V/2 +
  /// unit(Q)(unit(K)ᵀV)/π, rows of length 1, and the convolution of V.
  at::Tensor mixed(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, std::int64_t head,
                   const std::string& block, const std::vector<std::int64_t>& kept) const {
    if (!hasWeight(block + "attn.dconv.weight"))
      return (q.matmul(k.t()) / std::sqrt(double(q.size(1)))).softmax(-1).matmul(v);
    const at::Tensor unitQ = q / q.norm(2, -1, true), unitK = k / k.norm(2, -1, true);
    const at::Tensor y = v / 2 + unitQ.matmul(unitK.t().matmul(v)) / std::numbers::pi;
    const at::Tensor filter = w(block + "attn.dconv.weight")[head][0];
    return y / y.norm(2, -1, true) +
           (filter.size(1) == 1 ? alongTokens(v, filter) : overGrid(v, filter, kept));
  }
  bool hasWeight(const std::string& name) const { return m_weights.count(name) > 0; }

  static at::Tensor alongTokens(const at::Tensor& v, const at::Tensor& filter) {
    at::Tensor result = at::zeros_like(v);
    const std::int64_t half = filter.size(0) / 2;
    for (std::int64_t to = 0; to < v.size(0); ++to)
      for (std::int64_t from = 0; from < v.size(0); ++from)
        if (std::abs(from - to) <= half) result[to] += v[from] * filter[from - to + half][0];
    return result;
  }

  /// Of the kept patches alone; the class token gets nothing.
  at::Tensor overGrid(const at::Tensor& v, const at::Tensor& filter,
                      const std::vector<std::int64_t>& kept) const {
    at::Tensor result = at::zeros_like(v);
    const std::int64_t half = filter.size(0) / 2;
    for (std::size_t to = 0; to < kept.size(); ++to)
      for (std::size_t from = 0; from < kept.size(); ++from) {
        const std::int64_t down = kept[from] / cols() - kept[to] / cols(),
                           right = kept[from] % cols() - kept[to] % cols();
        if (std::max(std::abs(down), std::abs(right)) > half) continue;
        result[static_cast<std::int64_t>(to) + 1] +=
            v[static_cast<std::int64_t>(from) + 1] * filter[down + half][right + half];
      }
    return result;
  }

  at::Tensor block(const at::Tensor& x, const std::string& name, int heads,
                   const std::vector<std::int64_t>& kept) const {
    const std::int64_t width = x.size(1), each = width / heads;
    const at::Tensor qkv = linear(norm(x, name + "norm1"), name + "attn.qkv");
    std::vector<at::Tensor> parts;
    for (int head = 0; head < heads; ++head)
      parts.push_back(mixed(qkv.narrow(1, head * each, each),
                            qkv.narrow(1, width + head * each, each),
                            qkv.narrow(1, 2 * width + head * each, each), head, name, kept));
    const at::Tensor attended = x + linear(at::cat(parts, 1), name + "attn.proj");
    const at::Tensor hidden = gelu(linear(norm(attended, name + "norm2"), name + "mlp.fc1"));
    return attended + linear(hidden, name + "mlp.fc2");
  }

  at::Tensor encode(const at::Tensor& image, const std::vector<std::int64_t>& kept) const {
    const std::int64_t width = m_config.width, p = m_config.patchSize;
    std::vector<at::Tensor> tokens{w("cls_token")[0][0]};
    for (const std::int64_t patch : kept) {
      const at::Tensor cut =
          image.narrow(1, patch / cols() * p, p).narrow(2, patch % cols() * p, p);
      tokens.push_back((w("patch_embed.proj.weight") * cut).sum({1, 2, 3}) +
                       w("patch_embed.proj.bias") + positionOf(patch, width));
    }
    at::Tensor x = at::stack(tokens);
    for (int l = 0; l < m_config.depth; ++l)
      x = block(x, "blocks." + std::to_string(l) + ".", m_config.heads, kept);
    return norm(x, "norm");
  }

  /// [N, p·p·3].
  at::Tensor decode(const at::Tensor& encoded, const std::vector<std::int64_t>& kept) const {
    const at::Tensor given = linear(encoded, "decoder_embed");
    const std::int64_t width = given.size(1);
    std::vector<at::Tensor> tokens{given[0]};
    for (std::int64_t patch = 0; patch < rows() * cols(); ++patch) {
      const auto found = std::find(kept.begin(), kept.end(), patch);
      const at::Tensor token =
          found == kept.end() ? w("mask_token")[0][0] : given[found - kept.begin() + 1];
      tokens.push_back(token + positionOf(patch, width));
    }
    const int heads = m_config.layout["decoder_heads"];
    at::Tensor x = at::stack(tokens);
    for (int l = 0; l < m_config.layout["decoder_depth"].get<int>(); ++l)
      x = block(x, "decoder_blocks." + std::to_string(l) + ".", heads, kept);
    return linear(norm(x, "decoder_norm"), "decoder_pred").slice(0, 1);
  }

  ModelConfig m_config;
  Tensors m_weights;
};

Tensors weightsOf(const Model& model) {
  Tensors weights;
  for (const auto& [name, tensor] : model.trainable())
    weights[name] = tensor.detach();
  return weights;
}

double naiveLoss(const Model& model, const at::Tensor& images, const at::Tensor& kept) {
  const NaiveAutoencoder naive(model.config(), weightsOf(model));
  double sum = 0;
  for (std::int64_t i = 0; i < images.size(0); ++i) {
    const at::Tensor row = kept[i].contiguous();
    const auto* first = row.data_ptr<std::int64_t>();
    sum += naive.loss(images[i], {first, first + row.numel()});
  }
  return sum / static_cast<double>(images.size(0));
}

at::Tensor lossOf(Model& model, const at::Tensor& images, const at::Tensor& kept) {
  return rebuildLosses(autoencoderIn(model).rebuild(images, kept), images, kept,
                       model.config().patchSize, /*normalized=*/true)
      .mean();
}

std::vector<ModelConfig> referenceConfigs() {
  const Json plain = {{"auxiliary", false}};
  Json grid = plain;
  grid["residual"] = "grid";
  grid["residual_kernel"] = 3;
  Json tokens = plain;
  tokens["residual_kernel"] = 3;
  return {microAutoencoder(), microAutoencoder("linear_angular", tokens),
          microAutoencoder("linear_angular", grid)};
}

TEST(MaskedAutoencoder, LossIsThatOfThePaper) {
  for (const ModelConfig& config : referenceConfigs()) {
    SCOPED_TRACE(config.mechanism + config.attention.dump());
    const auto model = doubleModel(config);
    const at::Tensor images = doubleImages(config), kept = keptOfTwo();
    EXPECT_NEAR(lossOf(*model, images, kept).item<double>(), naiveLoss(*model, images, kept), 1e-9);
  }
}

/// The naive loss is what is differentiated by differences.
TEST(MaskedAutoencoder, GradientsAreThoseOfTheNaiveLoss) {
  constexpr double kStep = 1e-5;
  for (const ModelConfig& config : referenceConfigs()) {
    SCOPED_TRACE(config.mechanism + config.attention.dump());
    const auto model = doubleModel(config);
    const at::Tensor images = doubleImages(config), kept = keptOfTwo();
    lossOf(*model, images, kept).backward();
    for (const auto& [name, tensor] : model->trainable()) {
      ASSERT_TRUE(tensor.grad().defined()) << name;
      const at::NoGradGuard noGrad;
      const at::Tensor flat = tensor.detach().view(-1);
      const std::int64_t place = flat.numel() / 2;
      const double value = flat[place].item<double>();
      flat[place].fill_(value + kStep);
      const double above = naiveLoss(*model, images, kept);
      flat[place].fill_(value - kStep);
      const double below = naiveLoss(*model, images, kept);
      flat[place].fill_(value);
      EXPECT_NEAR(tensor.grad().reshape(-1)[place].item<double>(), (above - below) / (2 * kStep),
                  1e-6)
          << name;
    }
  }
}

TEST(MaskedAutoencoder, TargetsMayBePixels) {
  const at::Tensor images = at::randn({1, 3, 4, 8}, at::kDouble),
                   kept = at::zeros({1, 1}, at::kLong);
  const at::Tensor predicted = at::randn({1, 2, 48}, at::kDouble);
  double sum = 0;  // of the second patch
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 4; ++x)
      for (int color = 0; color < 3; ++color) {
        const double off = predicted[0][1][(y * 4 + x) * 3 + color].item<double>() -
                           images[0][color][y][4 + x].item<double>();
        sum += off * off / 48;
      }
  EXPECT_NEAR(rebuildLosses(predicted, images, kept, 4, false).item<double>(), sum, 1e-12);
}

TEST(MaskedAutoencoder, DroppedPixelsDoNotReachTheEncoder) {
  for (const auto& [name, config] : rebuildingPairings()) {
    SCOPED_TRACE(name);
    const auto model = makeModel(config, 1);
    model->eval();
    const at::NoGradGuard noGrad;
    const std::int64_t patches = config.grid().patches();
    const at::Tensor kept = keptPatches(patches, keptCount(patches, 0.75), {3});
    const at::Tensor images = at::randn({1, 3, config.imageSize, config.imageSize});
    at::Tensor pixels = pixelPatches(images, config.patchSize);
    const at::Tensor dropped = droppedPatches(kept, patches).unsqueeze(-1);
    const at::Tensor others = imagesOfPatches(at::where(dropped, at::randn_like(pixels), pixels),
                                              config.grid(), config.patchSize);
    auto& autoencoder = autoencoderIn(*model);
    EXPECT_TRUE(at::equal(autoencoder.rebuild(images, kept), autoencoder.rebuild(others, kept)));
  }
}

// ---- What every mechanism owes ---------------------------------------------------------------------

TEST(MaskedAutoencoder, EveryMechanismCountsAndLearnsAllItsParameters) {
  ASSERT_EQ(rebuildingPairings().size(), 9u);
  for (const auto& [name, config] : rebuildingPairings()) {
    SCOPED_TRACE(name);
    const auto model = makeModel(config, 1);
    const std::int64_t patches = config.grid().patches();
    const at::Tensor images = at::randn({2, 3, config.imageSize, config.imageSize});
    lossOf(*model, images, keptPatches(patches, keptCount(patches, 0.75), {1, 2})).backward();
    std::int64_t parameters = 0;
    for (const auto& [key, tensor] : model->trainable()) {
      parameters += tensor.numel();
      ASSERT_TRUE(tensor.grad().defined()) << key;
      EXPECT_TRUE(tensor.grad().isfinite().all().item<bool>()) << key;
    }
    EXPECT_EQ(modelCost(config).parameters, parameters);
  }
}

TEST(MaskedAutoencoder, OutsideTrainingEveryPatchIsSeen) {
  for (const auto& [name, config] : rebuildingPairings()) {
    SCOPED_TRACE(name);
    const auto model = makeModel(config, 1);
    model->eval();
    const at::NoGradGuard noGrad;
    const at::Tensor images = at::randn({2, 3, config.imageSize, config.imageSize});
    CollectingHook before, after, kept;
    EXPECT_EQ(model->forward(images, &before).sizes(), (std::vector<std::int64_t>{2, 0}));
    const std::int64_t patches = config.grid().patches(), count = keptCount(patches, 0.75);
    autoencoderIn(*model).rebuild(images, keptPatches(patches, count, {1, 2}), &kept);
    model->forward(images, &after);  // nothing of the dropped ones stays behind
    for (int l = 0; l < model->layers(); ++l) {
      EXPECT_EQ(before.maps.at(l).size(2), config.grid().tokens());
      EXPECT_TRUE(at::equal(before.maps.at(l), after.maps.at(l)));
      EXPECT_EQ(kept.maps.at(l).size(2), count + 1);
    }
  }
}

TEST(MaskedAutoencoder, RefusesWhatNeedsEveryPatchByName) {
  for (const char* mechanism : {"window", "lsla", "learned_mask", "aft_full", "aft_conv"}) {
    ModelConfig config = microAutoencoder();
    config.mechanism = mechanism;
    config.attention = Json::object();
    const auto refused = guarded("", [&] { checkedAndCompleted(config); });
    ASSERT_FALSE(refused.ok()) << mechanism;
    EXPECT_NE(refused.error().text().find(mechanism), std::string::npos);
  }
  ModelConfig config = microAutoencoder("softmax", {{"rotary", "axial"}});
  const at::Tensor images = at::zeros({2, 3, 12, 8});
  EXPECT_THROW(autoencoderIn(*makeModel(config, 1)).rebuild(images, keptOfTwo()), Failure);
}

TEST(MaskedAutoencoder, RefusesMasksWhilePatchesAreDropped) {
  const auto model = makeModel(microAutoencoder(), 1);
  MaskScheme scheme = model->masks();
  scheme.set(0, 1, *headMaskFromText("hard:3"));
  model->setMasks(scheme);
  const at::Tensor images = at::zeros({2, 3, 12, 8});
  EXPECT_NO_THROW(model->forward(images));
  EXPECT_THROW(autoencoderIn(*model).rebuild(images, keptOfTwo()), Failure);
}

TEST(MaskedAutoencoder, RefusesSizesThatLeaveNoRoom) {
  const auto refusedAt = [](const std::function<void(ModelConfig&)>& change) {
    ModelConfig config = microAutoencoder();
    change(config);
    const auto built = guarded("", [&] { makeModel(config, 1); });
    return built ? std::string() : built.error().where;
  };
  EXPECT_EQ(refusedAt([](auto& c) { c.layout["decoder_heads"] = 5; }),
            "model.layout.decoder_heads");
  EXPECT_EQ(refusedAt([](auto& c) { c.width = 6; }), "model.width");
  EXPECT_EQ(refusedAt([](auto& c) { c.imageSize = c.imageWidth = c.patchSize = 8; }),
            "model.patch_size");
  EXPECT_EQ(refusedAt([](auto& c) { c.classes = 9; }), "model.classes");
}

// ---- Which patches ---------------------------------------------------------------------------------

TEST(KeptPatches, AreDistinctAndInGridOrder) {
  const at::Tensor kept = keptPatches(196, 49, {1, 2, 3});
  ASSERT_EQ(kept.sizes(), (std::vector<std::int64_t>{3, 49}));
  const at::Tensor steps = kept.slice(1, 1) - kept.slice(1, 0, 48);
  EXPECT_GT(steps.min().item<std::int64_t>(), 0);
  EXPECT_GE(kept.min().item<std::int64_t>(), 0);
  EXPECT_LT(kept.max().item<std::int64_t>(), 196);
  EXPECT_FALSE(at::equal(kept[0], kept[1]));
  EXPECT_TRUE(at::equal(kept[1], keptPatches(196, 49, {2})[0])) << "a function of the key alone";
  const at::Tensor dropped = droppedPatches(kept, 196);
  EXPECT_EQ(dropped.sum().item<std::int64_t>(), 3 * (196 - 49));
  EXPECT_EQ(dropped.gather(1, kept).sum().item<std::int64_t>(), 0);
}

TEST(KeptPatches, AreCountedAsInThePaper) {
  EXPECT_EQ(keptCount(196, 0.75), 49);
  EXPECT_EQ(keptCount(256, 0.75), 64);
  EXPECT_EQ(keptCount(10, 0.99), 1);
  EXPECT_EQ(keptCount(10, 0.01), 9);
}

/// Each patch is kept as often as any other: 4,000 draws of 1 of 4, within 5 deviations.
TEST(KeptPatches, AreUniform) {
  std::vector<std::uint64_t> keys;
  for (int i = 0; i < 4000; ++i)
    keys.push_back(trainingKey(7, i / 16, i % 16));
  const at::Tensor counts = keptPatches(16, 4, keys).flatten().bincount({}, 16);
  const double spread = 5 * std::sqrt(4000 * 0.25 * 0.75);
  EXPECT_NEAR(counts.min().item<double>(), 1000, spread);
  EXPECT_NEAR(counts.max().item<double>(), 1000, spread);
}

TEST(KeptPatches, DifferByStepAndRowAndSeed) {
  const std::set<std::uint64_t> keys{trainingKey(1, 1, 1), trainingKey(1, 1, 2),
                                     trainingKey(1, 2, 1), trainingKey(2, 1, 1),
                                     evaluationKey(1),     evaluationKey(2)};
  EXPECT_EQ(keys.size(), 6u);
}

// ---- Names and sizes -------------------------------------------------------------------------------

TEST(MaskedAutoencoder, HasTheNamesOfFacebookResearch) {
  std::map<std::string, std::vector<std::int64_t>> shapes;
  for (const auto& [name, tensor] : makeModel(microAutoencoder(), 1)->state())
    shapes[name] = tensor.sizes().vec();
  using Shape = std::vector<std::int64_t>;
  EXPECT_EQ(shapes.at("cls_token"), (Shape{1, 1, 8}));
  EXPECT_EQ(shapes.at("pos_embed"), (Shape{1, 7, 8}));
  EXPECT_EQ(shapes.at("patch_embed.proj.weight"), (Shape{8, 3, 4, 4}));
  EXPECT_EQ(shapes.at("blocks.1.attn.qkv.weight"), (Shape{24, 8}));
  EXPECT_EQ(shapes.at("norm.bias"), (Shape{8}));
  EXPECT_EQ(shapes.at("decoder_embed.weight"), (Shape{12, 8}));
  EXPECT_EQ(shapes.at("mask_token"), (Shape{1, 1, 12}));
  EXPECT_EQ(shapes.at("decoder_pos_embed"), (Shape{1, 7, 12}));
  EXPECT_EQ(shapes.at("decoder_blocks.0.mlp.fc1.weight"), (Shape{48, 12}));
  EXPECT_EQ(shapes.at("decoder_norm.weight"), (Shape{12}));
  EXPECT_EQ(shapes.at("decoder_pred.weight"), (Shape{48, 12}));
  EXPECT_EQ(shapes.size(), 4u + 2 + 2 * 12 + 2 + 2 + 12 + 2 + 2);
}

/// facebookresearch/mae's mae_vit_base_patch16_dec512d8b has 111,907,840 parameters with its
/// positions, which are 197 · (768 + 512) fixed numbers.
TEST(MaskedAutoencoder, TheBaseHasThePublishedSize) {
  EXPECT_EQ(modelCost(findPublishedModel("mae_vit_base")->config).parameters,
            111'907'840 - 197 * (768 + 512));
}

}  // namespace
}  // namespace headlight
