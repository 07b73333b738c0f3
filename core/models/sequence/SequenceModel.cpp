// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/sequence/SequenceModel.h"

#include <ATen/ATen.h>

#include <functional>
#include <numeric>

#include "core/attention/aft/CausalAft.h"
#include "core/attention/aft/CausalConv.h"
#include "core/attention/base/MicroBatch.h"
#include "core/attention/linear/CausalFeatures.h"
#include "core/attention/softmax/CausalSoftmax.h"
#include "core/attention/softmax/CausalSynthesizer.h"
#include "core/base/Translation.h"

namespace headlight {
namespace {

constexpr double kSequenceNormEpsilon = 1e-6;

/// What is dropped of a part of a batch is drawn for the whole batch and cut out (MicroBatch.h).
at::Tensor droppedIn(const at::Tensor& x, double rate) {
  const std::int64_t whole = batchPart().whole;
  if (whole == 0) return at::dropout(x, rate, true);
  std::vector<std::int64_t> shape = x.sizes().vec();
  shape[0] = whole;
  return x * rowsSeen(at::dropout(at::ones(shape, x.options()), rate, true));
}

CausalAftOptions causalAftOptions(const SequenceModelConfig& config, std::int64_t length) {
  return {.mechanism = config.mechanism,
          .width = config.width,
          .length = length,
          .rank = config.rank,
          .factorized = config.factorized,
          .window = config.window,
          .query = config.query};
}

CausalSoftmaxOptions causalSoftmaxOptions(const SequenceModelConfig& config, std::int64_t length) {
  return {.width = config.width, .heads = config.heads, .length = length};
}

CausalConvOptions causalConvOptions(const SequenceModelConfig& config, std::int64_t length) {
  return {.width = config.width,
          .heads = config.heads,
          .length = length,
          .window = config.window,
          .reparametrize = config.reparametrize,
          .query = config.query};
}

CausalFeatureOptions causalFeatureOptions(const SequenceModelConfig& config, std::int64_t length,
                                          int layer) {
  return {.mechanism = config.mechanism,
          .width = config.width,
          .heads = config.heads,
          .length = length,
          .features = config.features,
          .featureSeed = config.featureSeed,
          .layer = layer};
}

CausalSynthesizerOptions causalSynthesizerOptions(const SequenceModelConfig& config,
                                                  std::int64_t length) {
  return {.synthesis = config.synthesis,
          .width = config.width,
          .heads = config.heads,
          .length = length,
          .rank = config.rank};
}

std::shared_ptr<CausalAttention> makeCausalAttention(const SequenceModelConfig& config,
                                                     std::int64_t length, int layer) {
  if (config.isSoftmax())
    return std::make_shared<CausalSoftmax>(causalSoftmaxOptions(config, length));
  if (config.isConv()) return std::make_shared<CausalConv>(causalConvOptions(config, length));
  if (config.isLinear())
    return std::make_shared<CausalFeatures>(causalFeatureOptions(config, length, layer));
  if (config.isSynthesizer())
    return std::make_shared<CausalSynthesizer>(causalSynthesizerOptions(config, length));
  return std::make_shared<CausalAft>(causalAftOptions(config, length));
}

/// Projections beside qkv and proj.
std::vector<std::string> separateMaps(const SequenceModelConfig& config) {
  if (config.isSoftmax() || config.isLinear()) return {};
  if (config.isSynthesizer())
    return config.synthesis == "dense" ? std::vector<std::string>{"hidden", "value"}
                                       : std::vector<std::string>{"value"};
  return config.query ? std::vector<std::string>{"q", "k", "v"}
                      : std::vector<std::string>{"k", "v"};
}

/// What its logits come from.
void addSynthesizer(const SequenceModelConfig& config, std::int64_t length,
                    const std::string& attention, std::vector<TensorShape>& shapes) {
  const SynthesizerShapes own = causalSynthesizerOptions(config, length).shapes();
  shapes.push_back({attention + own.first, own.firstShape});
  if (!own.second.empty()) shapes.push_back({attention + own.second, own.secondShape});
}

}  // namespace

void checkCausalAttention(const SequenceModelConfig& config, std::int64_t length) {
  if (config.isSoftmax())
    checkCausalSoftmax(causalSoftmaxOptions(config, length));
  else if (config.isConv())
    checkCausalConv(causalConvOptions(config, length));
  else if (config.isLinear())
    checkCausalFeatures(causalFeatureOptions(config, length, 0));
  else if (config.isSynthesizer())
    checkCausalSynthesizer(causalSynthesizerOptions(config, length));
  else
    checkCausalAft(causalAftOptions(config, length));
}

SequenceBlock::SequenceBlock(const SequenceModelConfig& config, std::int64_t length, int layer)
    : m_dropout(config.dropout) {
  m_norm1 = register_module("norm1", makeNorm(config.width, kSequenceNormEpsilon));
  m_attention = register_module("attn", makeCausalAttention(config, length, layer));
  m_norm2 = register_module("norm2", makeNorm(config.width, kSequenceNormEpsilon));
  m_mlp = register_module("mlp", std::make_shared<Mlp>(config.width, config.hiddenWidth()));
}

at::Tensor SequenceBlock::dropped(const at::Tensor& branch) const {
  return m_dropout > 0 && is_training() ? droppedIn(branch, m_dropout) : branch;
}

at::Tensor SequenceBlock::forward(const at::Tensor& tokens) {
  const at::Tensor attended = tokens + dropped(m_attention->forward(m_norm1(tokens)));
  return attended + dropped(m_mlp->forward(m_norm2(attended)));
}

at::Tensor SequenceBlock::step(const at::Tensor& token, CausalState& state) {
  const at::Tensor attended = token + m_attention->step(m_norm1(token), state);
  return attended + m_mlp->forward(m_norm2(attended));
}

at::Tensor SequenceBlock::map(const at::Tensor& tokens) {
  return m_attention->map(m_norm1(tokens));
}

SequenceModel::SequenceModel(const SequenceModelConfig& config, std::int64_t length)
    : m_config(config), m_length(length) {
  const std::int64_t width = config.width;
  checkCausalAttention(config, length);
  auto embedding = register_module("embed", std::make_shared<Holder>());
  m_embedding = embedding->register_parameter("weight", at::zeros({kByteValues + 1, width}));
  m_positions = register_parameter("pos_embed", at::zeros({1, length, width}));
  auto blocks = register_module("blocks", std::make_shared<Holder>());
  for (int l = 0; l < config.depth; ++l)
    m_blocks.push_back(blocks->register_module(std::to_string(l),
                                               std::make_shared<SequenceBlock>(config, length, l)));
  m_norm = register_module("norm", makeNorm(config.width, kSequenceNormEpsilon));
  m_head = register_module("head", torch::nn::Linear(width, kByteValues));
  const at::NoGradGuard noGrad;
  m_embedding.normal_(0, 0.02);
  m_positions.normal_(0, 0.02);
  initializeLinears(*this);
}

at::Tensor SequenceModel::embedded(const at::Tensor& bytes) const {
  TORCH_CHECK(bytes.dim() == 2 && bytes.size(1) >= 1 && bytes.size(1) <= m_length,
              "the model takes bytes of [B, 1 to ", m_length, "], not ", bytes.sizes());
  const at::Tensor symbols = bytes.to(at::kLong);
  const std::int64_t length = symbols.size(1);
  // One place later, so that position t has seen the bytes before t alone.
  const at::Tensor start = at::full({symbols.size(0), 1}, kStartSymbol, symbols.options());
  const at::Tensor seen = at::cat({start, symbols.slice(1, 0, length - 1)}, 1);
  return at::embedding(m_embedding, seen) + m_positions.slice(1, 0, length);
}

at::Tensor SequenceModel::forward(const at::Tensor& bytes) {
  at::Tensor tokens = embedded(bytes);
  if (m_config.dropout > 0 && is_training()) tokens = droppedIn(tokens, m_config.dropout);
  for (const auto& block : m_blocks)
    tokens = block->forward(tokens);
  return m_head(m_norm(tokens));
}

at::Tensor SequenceModel::map(const at::Tensor& bytes, std::int64_t layer) {
  TORCH_CHECK(layer >= 0 && layer < m_config.depth, "no layer ", layer);
  const at::NoGradGuard noGrad;
  at::Tensor tokens = embedded(bytes);
  for (std::int64_t l = 0; l < layer; ++l)
    tokens = m_blocks[static_cast<std::size_t>(l)]->forward(tokens);
  return m_blocks[static_cast<std::size_t>(layer)]->map(tokens);
}

at::Tensor SequenceModel::filter(std::int64_t layer) const {
  TORCH_CHECK(layer >= 0 && layer < m_config.depth, "no layer ", layer);
  const at::NoGradGuard noGrad;
  const at::Tensor filter = m_blocks[static_cast<std::size_t>(layer)]->filter();
  return filter.defined() ? filter.detach() : filter;
}

at::Tensor SequenceModel::step(const at::Tensor& symbols, SequenceState& state) {
  if (state.position >= m_length)
    throw Failure({ErrorCode::InvalidArgument,
                   tr("a sequence has at most ") + std::to_string(m_length) + " symbols", ""});
  state.layers.resize(m_blocks.size());
  at::Tensor token = at::embedding(m_embedding, symbols) + m_positions.select(1, state.position++);
  for (std::size_t l = 0; l < m_blocks.size(); ++l)
    token = m_blocks[l]->step(token, state.layers[l]);
  return m_head(m_norm(token));
}

ModelTensors SequenceModel::trainable() const {
  ModelTensors tensors;
  for (const auto& item : named_parameters(/*recurse=*/true))
    tensors.emplace_back(item.key(), item.value());
  return tensors;
}

bool SequenceModel::decays(const std::string& name, const at::Tensor& parameter) {
  if (parameter.dim() != 2) return false;  // biases, norms, pos_embed
  const std::string last = name.substr(name.rfind('.') + 1);
  return name != "embed.weight" && !last.starts_with("position_");
}

namespace {

/// Position biases of a block's attention.
void addBiasShapes(const SequenceModelConfig& config, std::int64_t length, const std::string& attn,
                   std::vector<TensorShape>& shapes) {
  if (config.isConv()) {
    shapes.push_back({attn + "position_bias", {config.heads, config.window}});
    if (config.reparametrize)
      for (const char* name : {"position_gain", "position_shift"})
        shapes.push_back({attn + name, {config.heads}});
  }
  if (!config.hasPositionBiases()) return;
  if (config.factorized)
    for (const char* factor : {"position_u", "position_v"})
      shapes.push_back({attn + factor, {length, config.rank}});
  else
    shapes.push_back({attn + "position_bias", {length, length}});
}

}  // namespace

std::vector<TensorShape> sequenceShapes(const SequenceModelConfig& config, std::int64_t length) {
  const std::int64_t width = config.width, hidden = config.hiddenWidth();
  std::vector<TensorShape> shapes{{"embed.weight", {kByteValues + 1, width}},
                                  {"pos_embed", {1, length, width}}};
  const auto add = [&](const std::string& name, std::vector<std::int64_t> weight) {
    const std::int64_t outputs = weight.front();
    shapes.push_back({name + ".weight", std::move(weight)});
    shapes.push_back({name + ".bias", {outputs}});
  };
  for (int l = 0; l < config.depth; ++l) {
    const std::string block = "blocks." + std::to_string(l) + ".";
    add(block + "norm1", {width});
    addBiasShapes(config, length, block + "attn.", shapes);
    if (config.isSynthesizer()) addSynthesizer(config, length, block + "attn.", shapes);
    if (config.isSoftmax() || config.isLinear()) add(block + "attn.qkv", {3 * width, width});
    for (const std::string& map : separateMaps(config))
      add(block + "attn." + map, {config.isConv() && map == "k" ? config.heads : width, width});
    add(block + "attn.proj", {width, width});
    add(block + "norm2", {width});
    add(block + "mlp.fc1", {hidden, width});
    add(block + "mlp.fc2", {width, hidden});
  }
  add("norm", {width});
  add("head", {kByteValues, width});
  return shapes;
}

std::shared_ptr<SequenceModel> makeSequenceModel(const SequenceExperiment& experiment) {
  std::int64_t parameters = 0;
  for (const auto& [name, shape] : sequenceShapes(experiment.model, experiment.length()))
    parameters += std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
  requireMemoryFor(parameters);
  const auto random = holdTorchRandom();
  seedTorch(static_cast<std::uint64_t>(experiment.seed));
  return std::make_shared<SequenceModel>(experiment.model, experiment.length());
}

}  // namespace headlight
