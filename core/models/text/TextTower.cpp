// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/text/TextTower.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/models/layers/Parts.h"

namespace headlight {
namespace {

constexpr const char* kTokenEmbedding = "text_model.embeddings.token_embedding.weight";
constexpr std::int64_t kLargestIsEnd = 2;

}  // namespace

/// Tensors by name, each of the shape that those before it call for.
class TextTower::Reader {
 public:
  Reader(const NamedTensors& tensors, std::string where) : m_where(std::move(where)) {
    for (const auto& [name, tensor] : tensors)
      m_tensors.emplace(name, tensor);
  }

  bool has(const std::string& name) const { return m_tensors.contains(name); }

  /// −1: any size.
  at::Tensor take(const std::string& name, const std::vector<std::int64_t>& shape) const {
    const auto found = m_tensors.find(name);
    if (found == m_tensors.end()) fail(name, tr("the text tower lacks this tensor"));
    const at::Tensor& tensor = found->second;
    const bool fits =
        tensor.is_floating_point() && std::equal(shape.begin(), shape.end(), tensor.sizes().begin(),
                                                 tensor.sizes().end(), fitsSize);
    if (!fits) fail(name, tr("has the shape ") + shapeText(tensor.sizes()));
    return tensor.to(at::kFloat);
  }

  Linear linear(const std::string& name, std::int64_t out, std::int64_t in) const {
    const at::Tensor weight = take(name + ".weight", {out, in});
    return {weight, take(name + ".bias", {weight.size(0)})};
  }

  Norm norm(const std::string& name, std::int64_t width) const {
    return {take(name + ".weight", {width}), take(name + ".bias", {width})};
  }

  /// Of one number; `otherwise` where it is missing.
  double number(const std::string& name, double otherwise) const {
    if (!has(name)) return otherwise;
    const at::Tensor& tensor = m_tensors.at(name);
    const bool one = tensor.numel() == 1 && tensor.is_floating_point();
    const double value = one ? tensor.to(at::kDouble).item<double>() : NAN;
    if (!std::isfinite(value)) fail(name, tr("is not one number"));
    return value;
  }

  [[noreturn]] void fail(const std::string& name, const std::string& why) const {
    throw Failure({ErrorCode::InvalidFile,
                   why + tr(", so the text tower does not fit its config.json; download the model "
                            "again"),
                   m_where + ": " + name});
  }

 private:
  static bool fitsSize(std::int64_t wanted, std::int64_t size) {
    return wanted < 0 ? size > 0 : size == wanted;
  }

  std::string m_where;
  std::map<std::string, at::Tensor> m_tensors;
};

bool hasTextTower(const NamedTensors& tensors) {
  return std::any_of(tensors.begin(), tensors.end(),
                     [](const auto& named) { return named.first == kTokenEmbedding; });
}

TextTower::TextTower(const TextTowerOptions& options, const NamedTensors& tensors,
                     const std::string& where)
    : m_options(options) {
  const Reader reader(tensors, where);
  m_tokens = reader.take(kTokenEmbedding, {-1, -1});
  const std::int64_t width = m_tokens.size(1);
  if (options.heads < 1 || width % options.heads != 0)
    reader.fail(kTokenEmbedding, tr("its width is no multiple of the heads"));
  m_positions = reader.take("text_model.embeddings.position_embedding.weight", {-1, width});
  for (int layer = 0; layer < options.layers; ++layer) {
    const std::string name = "text_model.encoder.layers." + std::to_string(layer) + ".";
    const auto square = [&](const char* part) { return reader.linear(name + part, width, width); };
    Block block{reader.norm(name + "layer_norm1", width),
                reader.norm(name + "layer_norm2", width),
                square("self_attn.q_proj"),
                square("self_attn.k_proj"),
                square("self_attn.v_proj"),
                square("self_attn.out_proj"),
                reader.linear(name + "mlp.fc1", -1, width),
                {}};
    block.fc2 = reader.linear(name + "mlp.fc2", width, block.fc1.weight.size(0));
    m_blocks.push_back(std::move(block));
  }
  m_norm = reader.norm("text_model.final_layer_norm", width);
  m_head = options.causal ? Linear{reader.take("text_projection.weight", {-1, width}), {}}
                          : reader.linear("text_model.head", -1, width);
  m_scale = std::exp(reader.number("logit_scale", 0));
  m_bias = reader.number("logit_bias", 0);
  if (!std::isfinite(m_scale)) reader.fail("logit_scale", tr("is too large"));
}

at::Tensor TextTower::Linear::operator()(const at::Tensor& x) const {
  const at::Tensor product = at::matmul(x, weight.t());
  return bias.defined() ? product + bias : product;
}

at::Tensor TextTower::normed(const Norm& norm, const at::Tensor& x) const {
  return at::layer_norm(x, {x.size(-1)}, norm.weight, norm.bias, m_options.normEpsilon);
}

/// softmax(q kᵀ/√d) v, over the tokens before and at each where it is causal.
at::Tensor TextTower::attend(const Block& block, const at::Tensor& x) const {
  const std::int64_t texts = x.size(0), count = x.size(1), width = x.size(2);
  const auto byHead = [&](const at::Tensor& y) {
    return y.reshape({texts, count, m_options.heads, -1}).transpose(1, 2);
  };
  const at::Tensor query = byHead(block.query(x)), key = byHead(block.key(x)),
                   value = byHead(block.value(x));
  at::Tensor logits =
      at::matmul(query, key.transpose(2, 3)) / std::sqrt(static_cast<double>(query.size(3)));
  if (m_options.causal)
    logits = logits + at::full({count, count}, -std::numeric_limits<float>::infinity()).triu(1);
  const at::Tensor heads = at::matmul(at::softmax(logits, -1), value).transpose(1, 2);
  return block.proj(heads.reshape({texts, count, width}));
}

/// [B, T, D] → [B, D].
at::Tensor TextTower::pooled(const at::Tensor& x, const at::Tensor& tokens) const {
  if (!m_options.causal) return x.select(1, -1);
  const bool largest = m_options.endToken == kLargestIsEnd;
  const at::Tensor found = largest ? tokens : tokens.eq(m_options.endToken).to(at::kLong);
  if (!largest && !found.sum(1).gt(0).all().item<bool>())
    throw Failure({ErrorCode::InvalidArgument,
                   tr("the text does not end in token ") + std::to_string(m_options.endToken) +
                       tr(", so tokenizer and text tower do not belong together; download both "
                          "again"),
                   ""});
  // The first of equal ones: argmax does not promise which.
  const at::Tensor top = found.eq(std::get<0>(found.max(1, /*keepdim=*/true)));
  const at::Tensor order = at::arange(tokens.size(1), 0, -1);
  const at::Tensor place = (top * order).argmax(1);
  return x.index({at::arange(x.size(0)), place});
}

void TextTower::check(const at::Tensor& tokens) const {
  const auto fail = [](const std::string& message) {
    throw Failure({ErrorCode::InvalidArgument, message, ""});
  };
  if (tokens.dim() != 2 || tokens.numel() == 0) fail(tr("there are no tokens"));
  if (tokens.size(1) > positions())
    fail(tr("has ") + std::to_string(tokens.size(1)) + tr(" tokens, and the text tower reads ") +
         std::to_string(positions()) + tr("; shorten it"));
  const std::int64_t most = tokens.max().item<std::int64_t>();
  if (tokens.min().item<std::int64_t>() < 0 || most >= vocabulary())
    fail(tr("has the token ") + std::to_string(most) + tr(", and the text tower knows ") +
         std::to_string(vocabulary()) +
         tr(", so they do not belong together; download both again"));
}

at::Tensor TextTower::embed(const at::Tensor& tokens) const {
  const at::NoGradGuard noGrad;
  check(tokens);
  at::Tensor x = at::embedding(m_tokens, tokens) + m_positions.slice(0, 0, tokens.size(1));
  for (const Block& block : m_blocks) {
    x = x + attend(block, normed(block.norm1, x));
    x = x + block.fc2(activated(block.fc1(normed(block.norm2, x)), m_options.activation));
  }
  return m_head(pooled(normed(m_norm, x), tokens));
}

}  // namespace headlight
