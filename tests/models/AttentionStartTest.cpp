// SPDX-License-Identifier: GPL-3.0-or-later

// model.init: the products of the weights against the papers' formulas by loops, the same numbers
// for a seed, and every backbone, which starts so or says why not.

#include "core/models/backbones/AttentionStart.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/models/Backbones.h"
#include "core/models/Registry.h"
#include "core/models/backbones/Model.h"
#include "tests/models/Shrunk.h"

namespace headlight {
namespace {

using Matrix = std::vector<std::vector<double>>;

ModelConfig startedConfig(const std::string& init, int width, int heads) {
  ModelConfig config;
  config.init = init;
  config.imageSize = 32;
  config.patchSize = 8;
  config.width = width;
  config.heads = heads;
  config.depth = 2;
  config.classes = 5;
  return config;
}

at::Tensor weightOf(const Model& model, const std::string& name) {
  for (const auto& [key, tensor] : model.state())
    if (key == name) return tensor.detach().to(at::kDouble).contiguous();
  ADD_FAILURE() << "no " << name;
  return {};
}

Matrix rowsOf(const at::Tensor& weight, std::int64_t first, std::int64_t count) {
  Matrix rows;
  for (std::int64_t r = first; r < first + count; ++r) {
    const double* values = weight.data_ptr<double>() + r * weight.size(1);
    rows.emplace_back(values, values + weight.size(1));
  }
  return rows;
}

/// aᵀ·b.
Matrix turnedProduct(const Matrix& a, const Matrix& b) {
  Matrix product(a[0].size(), std::vector<double>(b[0].size(), 0));
  for (std::size_t k = 0; k < a.size(); ++k)
    for (std::size_t i = 0; i < a[0].size(); ++i)
      for (std::size_t j = 0; j < b[0].size(); ++j)
        product[i][j] += a[k][i] * b[k][j];
  return product;
}

Matrix turned(const Matrix& a) {
  Matrix result(a[0].size(), std::vector<double>(a.size()));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < a[0].size(); ++j)
      result[j][i] = a[i][j];
  return result;
}

/// noise·Z + identity·I, Z from N(0, 1/D): the mean of the diagonal, mean and deviation beside it.
void expectNearIdentity(const Matrix& product, double noise, double identity) {
  const double size = static_cast<double>(product.size());
  double diagonal = 0, sum = 0, squares = 0;
  for (std::size_t i = 0; i < product.size(); ++i)
    for (std::size_t j = 0; j < product.size(); ++j) {
      if (i == j) {
        diagonal += product[i][j] / size;
        continue;
      }
      sum += product[i][j];
      squares += product[i][j] * product[i][j];
    }
  const double others = size * (size - 1), each = noise / std::sqrt(size);
  EXPECT_NEAR(diagonal, identity, 5 * each / std::sqrt(size));
  EXPECT_NEAR(sum / others, 0, 5 * each / std::sqrt(others));
  EXPECT_NEAR(std::sqrt(squares / others), each, 0.05 * each);
}

TEST(MimeticStart, ProductsAreNearTheIdentityAndItsNegative) {
  const int width = 64;
  const auto model = makeModel(startedConfig("mimetic", width, 1), 7);
  for (const std::string block : {"blocks.0.attn.", "blocks.1.attn."}) {
    const at::Tensor qkv = weightOf(*model, block + "qkv.weight"),
                     proj = weightOf(*model, block + "proj.weight");
    // Weights multiply columns, x·W is W's transpose: W_Q·W_Kᵀ = (rows of q)ᵀ·(rows of k).
    expectNearIdentity(turnedProduct(rowsOf(qkv, 0, width), rowsOf(qkv, width, width)), 0.7, 0.7);
    expectNearIdentity(turnedProduct(rowsOf(qkv, 2 * width, width), turned(rowsOf(proj, 0, width))),
                       0.4, -0.4);
  }
}

/// With several heads W_Q and W_K are the halves of a product of rank k: their columns are
/// orthogonal, of the same lengths, the longest first.
TEST(MimeticStart, HeadsAreHalvesOfASingularDecomposition) {
  const int width = 48, heads = 3, k = width / heads;
  const auto model = makeModel(startedConfig("mimetic", width, heads), 7);
  const at::Tensor qkv = weightOf(*model, "blocks.0.attn.qkv.weight");
  Matrix before;
  for (int head = 0; head < heads; ++head) {
    const Matrix q = turned(rowsOf(qkv, head * k, k)),
                 key = turned(rowsOf(qkv, width + head * k, k));
    const Matrix squaresOfQ = turnedProduct(q, q), squaresOfK = turnedProduct(key, key);
    for (int i = 0; i < k; ++i)
      for (int j = 0; j < k; ++j) {
        EXPECT_NEAR(squaresOfQ[i][j], squaresOfK[i][j], 1e-4);
        if (i != j) {
          EXPECT_NEAR(squaresOfQ[i][j], 0, 1e-4);
        }
        if (i > 0 && i == j) {
          EXPECT_LE(squaresOfQ[i][i], squaresOfQ[i - 1][i - 1] + 1e-6);
        }
      }
    EXPECT_GT(squaresOfQ[k - 1][k - 1], 0.5);  // the middle singular values of Z + I, times 0.7
    EXPECT_NE(q, before);
    before = q;
  }
}

/// The softmax of the normed positions through a head's queries and keys.
Matrix pseudoAttention(const Model& model, int layer, int head) {
  const ModelConfig& config = model.config();
  const int width = config.width, k = width / config.heads, count = config.grid().patches();
  const at::Tensor positions = weightOf(model, "pos_embed")[0].contiguous();
  Matrix p = rowsOf(positions, positions.size(0) - count, count);
  for (auto& row : p) {
    double mean = 0, squares = 0;
    for (const double value : row)
      mean += value / width;
    for (const double value : row)
      squares += (value - mean) * (value - mean) / width;
    for (double& value : row)
      value = (value - mean) / std::sqrt(squares + 1e-6);
  }
  const at::Tensor qkv = weightOf(model, "blocks." + std::to_string(layer) + ".attn.qkv.weight");
  const Matrix q = turnedProduct(turned(p), turned(rowsOf(qkv, head * k, k))),
               key = turnedProduct(turned(p), turned(rowsOf(qkv, width + head * k, k)));
  Matrix map(count, std::vector<double>(count));
  for (int i = 0; i < count; ++i) {
    double sum = 0;
    for (int j = 0; j < count; ++j) {
      double s = 0;
      for (int f = 0; f < k; ++f)
        s += q[i][f] * key[j][f];
      sum += map[i][j] = std::exp(s / std::sqrt(double(k)));
    }
    for (double& weight : map[i])
      weight /= sum;
  }
  return map;
}

TEST(StructuredStart, HeadsLookAtTheirTaps) {
  const auto model = makeModel(startedConfig("structured", 32, 4), 3);
  const Grid grid = model->config().grid();
  std::set<std::pair<int, int>> taps;
  for (int layer = 0; layer < 2; ++layer)
    for (int head = 0; head < 4; ++head) {
      const StartingTap tap = startingTap(3, layer, head);
      taps.insert({tap.row, tap.col});
      const Matrix map = pseudoAttention(*model, layer, head);
      double weight = 0, highest = 0, rows = 0;
      for (int i = 0; i < grid.patches(); ++i) {
        const int row = i / grid.cols + tap.row, col = i % grid.cols + tap.col;
        if (row < 0 || row >= grid.rows || col < 0 || col >= grid.cols) continue;
        const int target = row * grid.cols + col;
        ++rows;
        weight += map[i][target];
        highest += std::max_element(map[i].begin(), map[i].end()) - map[i].begin() == target;
      }
      // A random start gives each patch 1/16.
      EXPECT_GT(weight / rows, 4.0 / 16) << layer << "." << head;
      EXPECT_GT(highest / rows, 0.75) << layer << "." << head;
    }
  EXPECT_GT(taps.size(), 2u);
}

TEST(AttentionStart, IsTheSameForASeedAndAnotherForAnother) {
  for (const std::string init : {"default", "mimetic", "structured"}) {
    const ModelConfig config = startedConfig(init, 32, 4);
    const auto first = makeModel(config, 1), again = makeModel(config, 1),
               other = makeModel(config, 2);
    const std::string name = "blocks.0.attn.qkv.weight";
    EXPECT_TRUE(at::equal(weightOf(*first, name), weightOf(*again, name))) << init;
    EXPECT_FALSE(at::equal(weightOf(*first, name), weightOf(*other, name))) << init;
    EXPECT_TRUE(first->forward(at::ones({1, 3, 32, 32})).isfinite().all().item<bool>()) << init;
  }
}

TEST(AttentionStart, LeavesAllElseAsItWouldBe) {
  const auto plain = makeModel(startedConfig("default", 32, 4), 1);
  for (const std::string init : {"mimetic", "structured"}) {
    const auto started = makeModel(startedConfig(init, 32, 4), 1);
    for (const auto& item : plain->state()) {
      const std::string& name = item.first;
      const bool changes = name.find("attn.qkv.weight") != std::string::npos ||
                           (init == "mimetic" ? name.find("attn.proj.weight") != std::string::npos
                                              : name == "pos_embed");
      EXPECT_EQ(!changes, at::equal(weightOf(*plain, name), weightOf(*started, name)))
          << init << " " << name;
    }
  }
}

TEST(AttentionStart, EveryBackboneStartsSoOrSaysWhyNot) {
  std::set<std::pair<std::string, std::string>> seen;
  for (const PublishedModel& published : publishedModels()) {
    if (!seen.insert({published.config.backbone, published.config.mechanism}).second) continue;
    for (const std::string init : {"mimetic", "structured"}) {
      ModelConfig config = shrunk(published.config);
      config.init = init;
      const auto built = guarded("", [&] { return makeModel(config, 0); });
      const bool starts = checkAttentionStart(config).ok();
      EXPECT_EQ(built.ok(), starts)
          << published.name << " " << init << (built ? "" : ": " + built.error().text());
      if (!built) {
        EXPECT_EQ(built.error().where, "model.init") << published.name << " " << init;
      }
    }
  }
  const auto starts = [](const char* backbone, const char* mechanism, const char* init) {
    ModelConfig config;
    config.backbone = backbone;
    config.mechanism = mechanism;
    config.init = init;
    return checkAttentionStart(config).ok();
  };
  for (const char* init : {"mimetic", "structured"}) {
    EXPECT_TRUE(starts("vit", "softmax", init));
    EXPECT_TRUE(starts("vit", "learned_mask", init));
    EXPECT_TRUE(starts("cait", "talking_heads", init));
    EXPECT_FALSE(starts("levit", "softmax", init));
    EXPECT_FALSE(starts("mvitv2", "softmax", init));
    EXPECT_FALSE(starts("convit", "gated_positional", init));
    EXPECT_FALSE(starts("vit", "linear_angular", init));
    EXPECT_FALSE(starts("vit", "aft_full", init));
  }
  EXPECT_TRUE(starts("swin", "window", "mimetic"));
  EXPECT_FALSE(starts("swin", "window", "structured"));
}

TEST(AttentionStart, ConfigsWithoutItAreWrittenAsBefore) {
  EXPECT_FALSE(modelToJson(startedConfig("default", 32, 4)).contains("init"));
  const Json json = modelToJson(startedConfig("mimetic", 32, 4));
  EXPECT_EQ(json["init"], "mimetic");
  EXPECT_EQ(valueOrThrow(modelFromJson(json, modelCatalog())).init, "mimetic");
  // Weights of one are weights of the other.
  EXPECT_TRUE(sameArchitecture(checkedAndCompleted(startedConfig("mimetic", 32, 4)),
                               checkedAndCompleted(startedConfig("default", 32, 4))));
  ModelConfig bad = startedConfig("xavier", 32, 4);
  EXPECT_THROW(checkedAndCompleted(bad), Failure);
}

}  // namespace
}  // namespace headlight
