// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/linear/PoolingAttention.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "core/attention/base/MixedPrecision.h"

namespace headlight {
namespace {

constexpr int kKernel = 3;  // of the pooling convolutions
constexpr std::array<const char*, 3> kWhich{"q", "k", "v"};

PoolingOptions keysAsQueries(PoolingOptions options) {
  options.keyStride = options.queryStride;
  return options;
}

int strideOf(const PoolingOptions& options, int which) {
  return which == 0 ? options.queryStride : options.keyStride;
}

int headWidthOf(const PoolingOptions& options) {
  return options.attention.width / options.attention.heads;
}

std::int64_t tableLength(int queries, int keys) {
  return 2 * std::max(queries, keys) - 1;
}

/// Which entry of the table a query and a key cell of one axis take: their distance in cells of the
/// finer of the two grids, from 0 on.
at::Tensor axisIndex(int queries, int keys) {
  const double queryStep = std::max(double(keys) / queries, 1.0),
               keyStep = std::max(double(queries) / keys, 1.0);
  at::Tensor index = at::empty({queries, keys}, at::kLong);
  auto entries = index.accessor<std::int64_t, 2>();
  for (int q = 0; q < queries; ++q)
    for (int k = 0; k < keys; ++k)
      entries[q][k] = static_cast<std::int64_t>(q * queryStep + (keys - 1 - k) * keyStep);
  return index;
}

/// [keys, queries]: the share of each key cell that lies in each query cell, along one axis. Rows
/// sum to 1.
at::Tensor shares(int keys, int queries, const at::TensorOptions& like) {
  at::Tensor result = at::zeros({keys, queries}, at::kFloat);
  auto entries = result.accessor<float, 2>();
  for (int k = 0; k < keys; ++k)
    for (int q = 0; q < queries; ++q) {
      // In units of 1/(keys·queries) of the image a key cell is `queries` long.
      const int overlap =
          std::min((k + 1) * queries, (q + 1) * keys) - std::max(k * queries, q * keys);
      entries[k][q] = std::max(0, overlap) / static_cast<float>(queries);
    }
  return result.to(like);
}

/// [B, H, Tq, d] → [B, Tq, D].
at::Tensor sideBySide(const at::Tensor& heads) {
  return heads.transpose(1, 2).flatten(2);
}

}  // namespace

at::Tensor overQueries(const at::Tensor& weights, const Grid& queries, const Grid& keys) {
  if (queries == keys) return weights;
  const auto batch = weights.size(0), heads = weights.size(1), rows = weights.size(2);
  const at::Tensor grid = weights.reshape({batch, heads, rows, keys.rows, keys.cols});
  const at::Tensor wide = at::matmul(grid, shares(keys.cols, queries.cols, weights.options()));
  const at::Tensor tall =
      at::matmul(wide.transpose(-2, -1), shares(keys.rows, queries.rows, weights.options()));
  return tall.transpose(-2, -1).reshape({batch, heads, rows, rows});
}

Grid PoolingOptions::queryGrid() const {
  return attention.grid.strided(queryStride);
}

Grid PoolingOptions::keyGrid() const {
  return attention.grid.strided(keyStride);
}

PooledProjection::PooledProjection(const PoolingOptions& options)
    : qkv(torch::nn::LinearOptions(options.inputWidth, 3 * options.attention.width)
              .bias(options.attention.qkvBias)) {
  const int width = headWidthOf(options);
  for (int i = 0; i < 3; ++i) {
    pools[i] = torch::nn::Conv2d(torch::nn::Conv2dOptions(width, width, kKernel)
                                     .stride(strideOf(options, i))
                                     .padding(kKernel / 2)
                                     .groups(width)
                                     .bias(false));
    norms[i] = torch::nn::LayerNorm(torch::nn::LayerNormOptions({width}).eps(options.normEpsilon));
  }
}

void PooledProjection::count(CostCounter& counter, const PoolingOptions& options) {
  const std::int64_t width = headWidthOf(options), heads = options.attention.heads;
  counter.linear("qkv", options.inputWidth, 3 * options.attention.width, options.attention.qkvBias,
                 options.attention.grid.patches());
  for (int i = 0; i < 3; ++i) {
    const Grid pooled = options.attention.grid.strided(strideOf(options, i));
    counter.convolution(std::string("pool_") + kWhich[i], width, width, kKernel, width, false,
                        heads * pooled.patches());
    counter.parameters(std::string("norm_") + kWhich[i], 2 * width);
  }
}

std::vector<std::pair<std::string, std::shared_ptr<torch::nn::Module>>> PooledProjection::parts()
    const {
  std::vector<std::pair<std::string, std::shared_ptr<torch::nn::Module>>> result{
      {"qkv", qkv.ptr()}};
  for (int i = 0; i < 3; ++i) {
    result.emplace_back(std::string("pool_") + kWhich[i], pools[i].ptr());
    result.emplace_back(std::string("norm_") + kWhich[i], norms[i].ptr());
  }
  return result;
}

std::array<at::Tensor, 3> PooledProjection::forward(const at::Tensor& tokens,
                                                    const PoolingOptions& options) {
  const Grid& grid = options.attention.grid;
  const std::int64_t batch = tokens.size(0), heads = options.attention.heads,
                     width = headWidthOf(options);
  // Every head is an image of `width` channels.
  const at::Tensor images = qkv(tokens)
                                .view({batch, grid.patches(), 3, heads, width})
                                .permute({2, 0, 3, 4, 1})
                                .reshape({3, batch * heads, width, grid.rows, grid.cols});
  std::array<at::Tensor, 3> result;
  for (int i = 0; i < 3; ++i)
    result[i] = norms[i](inFloat32(depthwise(images[i], pools[i]))
                             .view({batch, heads, width, -1})
                             .transpose(-2, -1));
  return result;
}

PoolingAttention::PoolingAttention(const PoolingOptions& options)
    : MaskedAttention(options.attention.layer, options.attention.heads, options.queryGrid(),
                      options.keyGrid()),
      m_options(options),
      m_queries(options.queryGrid()),
      m_keys(options.keyGrid()),
      m_projection(options) {
  const int width = headWidthOf(options);
  for (const auto& [name, part] : m_projection.parts())
    register_module(name, part);
  m_proj =
      register_module("proj", AdaptableLinear(options.attention.width, options.attention.width));
  const auto table = [&](int queries, int keys) {
    return at::empty({tableLength(queries, keys), width}).normal_(0, 0.02);
  };
  m_relativeRows = register_parameter("rel_pos_h", table(m_queries.rows, m_keys.rows));
  m_relativeCols = register_parameter("rel_pos_w", table(m_queries.cols, m_keys.cols));
  m_rowIndex = axisIndex(m_queries.rows, m_keys.rows);
  m_colIndex = axisIndex(m_queries.cols, m_keys.cols);
}

void PoolingAttention::count(CostCounter& counter, const PoolingOptions& options) {
  PooledProjection::count(counter, options);
  const Grid queries = options.queryGrid(), keys = options.keyGrid();
  const std::int64_t width = options.attention.width, tokens = queries.patches();
  counter.macs("logits and values", 2 * tokens * keys.patches() * width);
  counter.weights("rel_pos",
                  (tableLength(queries.rows, keys.rows) + tableLength(queries.cols, keys.cols)) *
                      headWidthOf(options),
                  tokens * (keys.rows + keys.cols) * width);
  counter.linear("proj", width, width, true, tokens);
}

std::string PoolingAttention::mapMeaning() const {
  return "Softmax attention over pooled keys, shown on the query's grid: each key's weight is "
         "spread evenly over the patches that it covers. Each row sums to 1.";
}

/// Eq. 4: E[i, j] = q_i·(R_h[row(i) − row(j)] + R_w[col(i) − col(j)]), by rows and by columns
/// apart.
void PoolingAttention::addRelativePositions(HeadLogits& logits, const at::Tensor& queries) {
  const Float32Scope exact;
  const auto batch = queries.size(0), heads = queries.size(1), width = queries.size(3);
  m_rowIndex = m_rowIndex.to(queries.device());  // a no-op but for the first time on a device
  m_colIndex = m_colIndex.to(queries.device());
  const at::Tensor grid = queries.reshape({batch * heads, m_queries.rows, m_queries.cols, width});
  const auto terms = [&](const char* how, const at::Tensor& table, const at::Tensor& index) {
    return at::einsum(how, {grid, table.index({index})})
        .reshape({batch, heads, m_queries.patches(), -1});
  };
  logits.rowTerms = terms("brcd,rkd->brck", m_relativeRows, m_rowIndex);
  logits.colTerms = terms("brcd,ckd->brck", m_relativeCols, m_colIndex);
}

at::Tensor PoolingAttention::forward(const at::Tensor& tokens, AttentionHook* tap) {
  const int layer = m_options.attention.layer;
  const bool wanted = tap && tap->wants(layer);
  const auto [queries, keys, values] = m_projection.forward(tokens, m_options);
  HeadLogits logits = logitMasks(queries.options());
  addRelativePositions(logits, queries);
  const auto [output, map] = runHeads(HeadInputs::apart(queries, keys, values), logits, wanted);
  if (wanted) {
    tap->take(layer, overQueries(map, m_queries, m_keys));
    tap->follow(layer, {{{map, values, output}}, [this](const auto& parts) {
                          return overQueries(parts[0], m_queries, m_keys);
                        }});
  }
  return m_proj(throughHook(tap, m_options.residual ? output + sideBySide(queries) : output));
}

PoolingLinearAngular::PoolingLinearAngular(const PoolingOptions& options)
    : LinearAngularAttention(options.attention, options.queryGrid()),
      m_options(keysAsQueries(options)),
      m_projection(m_options) {
  for (const auto& [name, part] : m_projection.parts())
    register_module(name, part);
  if (m_linear.residual()) register_module("dconv", m_linear.residual());
  m_proj =
      register_module("proj", AdaptableLinear(options.attention.width, options.attention.width));
}

void PoolingLinearAngular::count(CostCounter& counter, const PoolingOptions& given) {
  const PoolingOptions options = keysAsQueries(given);
  PooledProjection::count(counter, options);
  const std::int64_t width = options.attention.width, headWidth = headWidthOf(options);
  LinearAngularHeads::count(counter, linearAngularOptions(options.attention.options),
                            options.attention.heads, headWidth, headWidth, options.queryGrid());
  counter.linear("proj", width, width, true, options.queryGrid().patches());
}

at::Tensor PoolingLinearAngular::forward(const at::Tensor& tokens, AttentionHook* tap) {
  const auto [queries, keys, values] = m_projection.forward(tokens, m_options);
  const int layer = m_options.attention.layer;
  const bool wanted = tap && tap->wants(layer);
  WeighedValues product;
  const at::Tensor heads =
      m_linear.forward(queries, keys, values, is_training(), wanted ? &product : nullptr);
  if (wanted) {
    tap->take(layer, product.weights);
    tap->follow(layer, {{product}});
  }
  return m_proj(throughHook(tap, sideBySide(m_options.residual ? heads + queries : heads)));
}

std::shared_ptr<Attention> makePoolingAttention(const std::string& mechanism,
                                                const PoolingOptions& options) {
  if (mechanism == "linear_angular") return std::make_shared<PoolingLinearAngular>(options);
  return std::make_shared<PoolingAttention>(options);
}

void countPoolingAttention(CostCounter& counter, const std::string& mechanism,
                           const PoolingOptions& options) {
  if (mechanism == "linear_angular")
    PoolingLinearAngular::count(counter, options);
  else
    PoolingAttention::count(counter, options);
}

}  // namespace headlight
