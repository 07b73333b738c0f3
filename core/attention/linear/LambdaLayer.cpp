// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/linear/LambdaLayer.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "core/attention/base/MixedPrecision.h"
#include "core/attention/base/SharedNorm.h"
#include "core/base/Translation.h"

namespace headlight {
namespace {

/// Beyond so many patches e_{m−n} of all pairs takes more memory than the convolution.
constexpr std::int64_t kMostPairedPatches = 4096;

LambdaOptions lambdaOptions(const AttentionOptions& options) {
  auto own = optionsAs<LambdaOptions>(LambdaLayer::optionTable(), options.options);
  if (own.context > 0 && own.context % 2 == 0)
    throw Failure({ErrorCode::InvalidConfig,
                   tr("a context of ") + std::to_string(own.context) +
                       tr(" patches has no middle; choose an odd number, or 0 for all"),
                   "model.attention.context"});
  return own;
}

/// Offsets that one side of the embeddings has.
std::int64_t lambdaOffsets(const LambdaOptions& own, std::int64_t patches) {
  return own.context > 0 ? own.context : 2 * patches - 1;
}

/// The middle of embeddings [k, a, b] that patches of the grid can reach.
at::Tensor reachableEmbeddings(const at::Tensor& embeddings, const Grid& grid) {
  const std::int64_t rows = embeddings.size(1) / 2, cols = embeddings.size(2) / 2,
                     down = std::min<std::int64_t>(rows, grid.rows - 1),
                     across = std::min<std::int64_t>(cols, grid.cols - 1);
  return embeddings.slice(1, rows - down, rows + down + 1)
      .slice(2, cols - across, cols + across + 1);
}

bool pairsAllPatches(const Grid& grid, std::int64_t offsets) {
  return grid.patches() <= kMostPairedPatches && offsets >= grid.patches();
}

at::Tensor lambdasByConvolution(const at::Tensor& reached, const at::Tensor& values,
                                const Grid& grid) {
  const std::int64_t batch = values.size(0), width = values.size(2), keys = reached.size(0);
  const at::Tensor images =
      values.transpose(1, 2).reshape({batch * width, 1, grid.rows, grid.cols});
  return at::conv2d(images, reached.unsqueeze(1), {}, /*stride=*/1,
                    {reached.size(1) / 2, reached.size(2) / 2})
      .view({batch, width, keys, grid.patches()})
      .permute({0, 3, 2, 1});
}

at::Tensor lambdasOfPairs(const at::Tensor& embeddings, const at::Tensor& values,
                          const Grid& grid) {
  const std::int64_t patches = grid.patches(), keys = embeddings.size(0), batch = values.size(0);
  const at::Tensor pairs =
      pairEmbeddings(embeddings, grid).transpose(1, 2).reshape({patches * keys, patches});
  return pairs.mm(values.transpose(0, 1).reshape({patches, -1}))
      .view({patches, keys, batch, values.size(2)})
      .permute({2, 0, 1, 3});
}

/// x itself without a norm.
at::Tensor batchNormedIf(torch::nn::BatchNorm1d& norm, const at::Tensor& x) {
  return norm ? rowsBatchNormed(norm, x.flatten(0, 1)).view_as(x) : x;
}

}  // namespace

at::Tensor pairEmbeddings(const at::Tensor& embeddings, const Grid& grid) {
  const std::int64_t patches = grid.patches(), rows = embeddings.size(1), cols = embeddings.size(2);
  const at::Tensor place = at::arange(patches, embeddings.options().dtype(at::kLong));
  const auto offsets = [](const at::Tensor& line, std::int64_t side) {
    return line.unsqueeze(0) - line.unsqueeze(1) + side / 2;
  };
  const at::Tensor down = offsets(at::div(place, grid.cols, "floor"), rows),
                   across = offsets(at::remainder(place, grid.cols), cols);
  const at::Tensor inside = (down >= 0) & (down < rows) & (across >= 0) & (across < cols);
  const at::Tensor index = down.clamp(0, rows - 1) * cols + across.clamp(0, cols - 1);
  return embeddings.flatten(1).t().index_select(0, index.flatten()).view({patches, patches, -1}) *
         inside.unsqueeze(-1);
}

std::int64_t positionLambdaPairs(const Grid& grid, std::int64_t rows, std::int64_t cols) {
  const std::int64_t offsets = (2 * std::min<std::int64_t>(rows / 2, grid.rows - 1) + 1) *
                               (2 * std::min<std::int64_t>(cols / 2, grid.cols - 1) + 1);
  return grid.patches() * (pairsAllPatches(grid, offsets) ? grid.patches() : offsets);
}

at::Tensor positionLambdas(const at::Tensor& embeddings, const at::Tensor& values,
                           const Grid& grid) {
  const at::Tensor reached = reachableEmbeddings(embeddings, grid);
  return pairsAllPatches(grid, reached.size(1) * reached.size(2))
             ? lambdasOfPairs(embeddings, values, grid)
             : lambdasByConvolution(reached, values, grid);
}

const ParameterTable& LambdaLayer::optionTable() {
  using O = LambdaOptions;
  static const ParameterTable table =
      TableBuilder<O>()
          .integer(&O::keys, "keys", 1, 512, "Width k of queries and keys.")
          .integer(&O::context, "context", 0, 511,
                   "Side of the square of patches that position lambdas see (odd); 0: the whole "
                   "image, which ties the weights to its size.")
          .choice(&O::norm, "norm", {"none", "queries_values", "queries_keys"},
                  "Batch norms: none, of queries and values (Bello 2021), or of queries and keys "
                  "(AFT, §5.3).")
          .build();
  return table;
}

LambdaLayer::LambdaLayer(const AttentionOptions& options)
    : Attention(options.heads),
      m_layer(options.layer),
      m_heads(options.heads),
      m_grid(options.grid),
      m_own(lambdaOptions(options)) {
  const std::int64_t width = options.width, keys = m_own.keys, values = width / m_heads;
  const auto linear = [&](const char* name, std::int64_t out, bool bias) {
    return register_module(name, AdaptableLinear(torch::nn::LinearOptions(width, out).bias(bias)));
  };
  m_query = linear("query", m_heads * keys, options.qkvBias);
  m_key = linear("key", keys, options.qkvBias);
  m_value = linear("value", values, options.qkvBias);
  m_proj = linear("proj", width, true);
  const bool queriesKeys = m_own.norm == "queries_keys";
  if (m_own.norm != "none")
    m_normQuery = register_module("norm_query", torch::nn::BatchNorm1d(m_heads * keys));
  if (queriesKeys) m_normKey = register_module("norm_key", torch::nn::BatchNorm1d(keys));
  if (m_own.norm == "queries_values")
    m_normValue = register_module("norm_value", torch::nn::BatchNorm1d(values));
  const std::int64_t rows = lambdaOffsets(m_own, m_grid.rows),
                     cols = lambdaOffsets(m_own, m_grid.cols);
  const at::NoGradGuard noGrad;
  // So that a lambda of all offsets begins as large as one value.
  m_embedding = register_parameter(
      "position_embedding",
      at::empty({keys, rows, cols})
          .normal_(0, 1 / std::sqrt(static_cast<double>(rows) * static_cast<double>(cols))));
}

void LambdaLayer::count(CostCounter& counter, const AttentionOptions& options) {
  const LambdaOptions own = lambdaOptions(options);
  const Grid& grid = options.grid;
  const std::int64_t width = options.width, tokens = grid.tokens(), keys = own.keys,
                     values = width / options.heads, rows = lambdaOffsets(own, grid.rows),
                     cols = lambdaOffsets(own, grid.cols);
  counter.linear("query", width, options.heads * keys, options.qkvBias, tokens);
  counter.linear("key", width, keys, options.qkvBias, tokens);
  counter.linear("value", width, values, options.qkvBias, tokens);
  if (own.norm != "none") counter.parameters("norm_query", 2 * options.heads * keys);
  if (own.norm == "queries_keys") counter.parameters("norm_key", 2 * keys);
  if (own.norm == "queries_values") counter.parameters("norm_value", 2 * values);
  counter.parameters("position_embedding", keys * rows * cols);
  counter.macs("content lambdas", tokens * keys * values);
  counter.macs("position lambdas", positionLambdaPairs(grid, rows, cols) * keys * values);
  counter.macs("lambdas times queries", (tokens + grid.patches()) * keys * width);
  counter.linear("proj", width, width, true, tokens);
}

void LambdaLayer::setGrid(const Grid& grid) {
  if (m_own.context == 0 && !(grid == m_grid)) Attention::setGrid(grid);
  m_grid = grid;
}

std::string LambdaLayer::mapMeaning() const {
  return "In place of the softmax matrix: what each token's value weighs, q·(softmax(k) + e), by "
         "content and position; signed, and rows do not sum to 1.";
}

std::string LambdaLayer::kernelText() const {
  const std::int64_t rows = lambdaOffsets(m_own, m_grid.rows),
                     cols = lambdaOffsets(m_own, m_grid.cols);
  const std::int64_t patches = m_grid.patches();
  return positionLambdaPairs(m_grid, rows, cols) == patches * patches
             ? "matrix products; position lambdas over all pairs of patches"
             : "matrix products; position lambdas by a convolution";
}

at::Tensor LambdaLayer::map(const at::Tensor& queries, const at::Tensor& keys) const {
  const std::int64_t batch = queries.size(0), patches = m_grid.patches(), prefix = m_grid.prefix;
  at::Tensor weights = at::matmul(queries.transpose(1, 2), keys.unsqueeze(1).transpose(-2, -1));
  const at::Tensor asked = queries.slice(1, prefix).permute({1, 0, 2, 3}).flatten(1, 2);
  const at::Tensor placed =
      at::bmm(asked, pairEmbeddings(m_embedding.detach(), m_grid).transpose(1, 2))
          .view({patches, batch, m_heads, patches})
          .permute({1, 2, 0, 3});
  weights.slice(2, prefix).slice(3, prefix).add_(placed);
  return weights;
}

at::Tensor LambdaLayer::forward(const at::Tensor& tokens, AttentionHook* tap) {
  const std::int64_t batch = tokens.size(0), count = tokens.size(1), prefix = m_grid.prefix,
                     keyWidth = m_own.keys;
  at::Tensor result;
  const at::Tensor queries = inFloat32(m_query(tokens)), keys = inFloat32(m_key(tokens)),
                   values = inFloat32(m_value(tokens));
  {
    const Float32Scope exact;
    const at::Tensor q =
        batchNormedIf(m_normQuery, queries).view({batch, count, m_heads, keyWidth});
    const at::Tensor k = batchNormedIf(m_normKey, keys).softmax(1),
                     v = batchNormedIf(m_normValue, values);
    const std::int64_t width = v.size(2);
    const at::Tensor content = at::bmm(q.flatten(1, 2), at::bmm(k.transpose(1, 2), v))
                                   .view({batch, count, m_heads, width});
    const at::Tensor placed =
        at::matmul(q.slice(1, prefix), positionLambdas(m_embedding, v.slice(1, prefix), m_grid));
    result = content + at::constant_pad_nd(placed, {0, 0, 0, 0, prefix, 0});
    result = result.flatten(2);
    if (tap && tap->wants(m_layer)) {
      const at::Tensor weights = map(q.detach(), k.detach());
      tap->take(m_layer, weights);
      tap->follow(m_layer,
                  {{{weights, v.unsqueeze(1).expand({batch, m_heads, count, width}), result}}});
    }
  }
  return m_proj(throughHook(tap, result));
}

}  // namespace headlight
