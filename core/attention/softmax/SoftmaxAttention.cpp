// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/softmax/SoftmaxAttention.h"

#include <ATen/ATen.h>

#include "core/attention/base/MixedPrecision.h"
#include "core/attention/base/RelativeTable.h"
#include "core/attention/softmax/SoftmaxRows.h"
#include "core/base/Translation.h"

namespace headlight {
namespace {

using torch::nn::LinearOptions;

SoftmaxOptions softmaxOptions(const AttentionOptions& options) {
  auto own = optionsAs<SoftmaxOptions>(SoftmaxAttention::optionTable(), options.options);
  if (own.relativePositions) requireRelativeTable(options.grid);
  if (own.rotaryReference.size() > 2)
    throw Failure({ErrorCode::InvalidConfig, tr("give rows and columns, or nothing"),
                   "model.attention.rotary_reference"});
  return own;
}

}  // namespace

const ParameterTable& SoftmaxAttention::optionTable() {
  using O = SoftmaxOptions;
  static const ParameterTable table =
      TableBuilder<O>()
          .choice(&O::kernel, "kernel", {"auto", "dense", "linear"},
                  "Kernel for hard, strict and random heads; auto chooses by size.")
          .boolean(&O::relativePositions, "relative_positions",
                   "Use learned relative position biases, with three for the class token (BEiT).")
          .choice(&O::rotary, "rotary", {"none", "axial", "mixed", "dinov3"},
                  "Rotary position embeddings: axial, along rows and columns (EVA-02, Perception "
                  "Encoder); mixed, with frequencies learned per head (RoPE-ViT); or with DINOv3's "
                  "coordinates.")
          .number(&O::rotaryTemperature, "rotary_temperature", 1, 1e8,
                  "Ratio of the fastest to the slowest rotation frequency.")
          .integers(&O::rotaryReference, "rotary_reference", 1, 4096,
                    "Reference grid (rows, columns) that axial positions are scaled to; empty: the "
                    "model's own.")
          .number(&O::rotaryOffset, "rotary_offset", 0, 16,
                  "Axial: index of the first position; 1 in Perception Encoders.")
          .boolean(&O::rotaryColumnsFirst, "rotary_columns_first",
                   "Axial: rotate the first half of the features along columns, not rows "
                   "(Perception Encoder, RoPE-ViT).")
          .boolean(&O::innerNorm, "inner_norm",
                   "Use a norm between the heads and the output projection (EVA-02 base and large, "
                   "BEiT-3).")
          .boolean(&O::apart, "apart",
                   "Use separate projections q_proj, k_proj and v_proj (EVA-02 base and large).")
          .build();
  return table;
}

SoftmaxAttention::SoftmaxAttention(const AttentionOptions& options)
    : MaskedAttention(options.layer, options.heads, options.grid),
      m_options(options),
      m_own(softmaxOptions(options)) {
  setKernel(m_own.kernel == "linear"  ? Kernel::Linear
            : m_own.kernel == "dense" ? Kernel::Dense
                                      : Kernel::Auto);
  makeRotary();
  makeProjections();
  if (m_own.relativePositions) makeBiasTable();
}

void SoftmaxAttention::makeRotary() {
  if (m_own.rotary == "none") return;
  m_rotary.emplace(RotaryOptions{m_own.rotary, m_own.rotaryTemperature, m_own.rotaryReference,
                                 m_own.rotaryOffset, m_own.rotaryColumnsFirst},
                   m_options.grid, m_options.width / m_options.heads);
}

void SoftmaxAttention::setGrid(const Grid& grid) {
  if (m_own.relativePositions) return Attention::setGrid(grid);
  moveTo(grid);
  m_options.grid = grid;
  makeRotary();
}

void SoftmaxAttention::setKept(const at::Tensor& kept) {
  if (m_own.relativePositions || m_rotary) Attention::setKept(kept);
}

void SoftmaxAttention::makeProjections() {
  const int width = m_options.width;
  const bool bias = m_options.qkvBias;
  if (m_own.apart) {
    m_query = register_module("q_proj", AdaptableLinear(LinearOptions(width, width).bias(bias)));
    m_key = register_module(
        "k_proj", AdaptableLinear(LinearOptions(width, width).bias(bias && m_options.keyBias)));
    m_value = register_module("v_proj", AdaptableLinear(LinearOptions(width, width).bias(bias)));
  } else {
    m_qkv = register_module(
        "qkv", AdaptableLinear(LinearOptions(width, 3 * width).bias(bias && m_options.keyBias)));
    if (bias && !m_options.keyBias) {
      m_queryBias = register_parameter("q_bias", at::zeros({width}));
      m_valueBias = register_parameter("v_bias", at::zeros({width}));
    }
  }
  if (m_own.innerNorm)
    m_norm = register_module(
        "norm",
        torch::nn::LayerNorm(torch::nn::LayerNormOptions({width}).eps(m_options.normEpsilon)));
  m_proj = register_module("proj",
                           AdaptableLinear(LinearOptions(width, width).bias(m_options.projBias)));
}

std::shared_ptr<RotaryFrequencies> SoftmaxAttention::sharedFrequencies(
    const AttentionOptions& options, int layers) {
  const SoftmaxOptions own = softmaxOptions(options);
  if (own.rotary != "mixed") return nullptr;
  return std::make_shared<RotaryFrequencies>(layers, options.heads, options.width / options.heads,
                                             own.rotaryTemperature);
}

void SoftmaxAttention::share(std::shared_ptr<RotaryFrequencies> frequencies) {
  m_frequencies = std::move(frequencies);
}

void SoftmaxAttention::makeBiasTable() {
  m_biasTable = register_parameter("relative_position_bias_table",
                                   at::zeros({relativeTableRows(m_options.grid), m_options.heads}));
  m_biasIndex = relativeTableIndex(m_options.grid);
}

void SoftmaxAttention::count(CostCounter& counter, const AttentionOptions& options) {
  const SoftmaxOptions own = softmaxOptions(options);
  const std::int64_t width = options.width, tokens = options.grid.tokens();
  counter.linear("qkv", width, 3 * width, options.qkvBias && options.keyBias, tokens);
  if (options.qkvBias && !options.keyBias) counter.parameters("q_bias, v_bias", 2 * width);
  if (own.relativePositions)
    counter.parameters("relative_position_bias_table",
                       relativeTableRows(options.grid) * options.heads);
  counter.products("logits and values", options.layer, options.grid, options.heads,
                   width / options.heads);
  if (own.innerNorm) counter.parameters("norm", 2 * width);
  counter.linear("proj", width, width, options.projBias, tokens);
}

std::string SoftmaxAttention::mapMeaning() const {
  return "Softmax attention: each row sums to 1 over the tokens that its query attends to.";
}

/// The norm is not of one head alone, so what is silenced are a head's features after it.
HeadProjection SoftmaxAttention::headProjection() const {
  return {m_proj->weight, m_own.innerNorm ? "layer norm" : ""};
}

at::Tensor SoftmaxAttention::projected(const at::Tensor& tokens) {
  if (m_own.apart) return at::cat({m_query(tokens), m_key(tokens), m_value(tokens)}, -1);
  if (!m_queryBias.defined()) return m_qkv(tokens);
  const at::Tensor bias = at::cat({m_queryBias, at::zeros_like(m_queryBias), m_valueBias});
  return m_qkv->adapted(at::linear(tokens, m_qkv->weight, bias), tokens);
}

at::Tensor SoftmaxAttention::relativeBias() {
  m_biasIndex = m_biasIndex.to(m_biasTable.device());
  const std::int64_t tokens = m_options.grid.tokens();
  return m_biasTable.index_select(0, m_biasIndex)
      .view({tokens, tokens, m_options.heads})
      .permute({2, 0, 1});
}

HeadInputs SoftmaxAttention::splitInputs(const at::Tensor& qkv) {
  HeadInputs packed = HeadInputs::packed(qkv, m_options.heads);
  if (!m_rotary) return packed;
  if (m_own.rotary == "mixed") {
    if (!m_frequencies)
      throw Failure({ErrorCode::InvalidConfig,
                     tr("this backbone does not support mixed rotary positions; use the backbone "
                        "vit, or axial positions"),
                     "model.attention.rotary"});
    m_rotary->turnBy(m_frequencies->ofLayer(m_options.layer));
  }
  const at::Tensor queries = m_rotary->turned(packed.part(0)),
                   keys = m_rotary->turned(packed.part(1));
  if (m_frequencies) m_rotary->letGo();
  return HeadInputs::apart(queries, keys, packed.part(2));
}

HeadLogits SoftmaxAttention::logitsOf(const at::Tensor& qkv) {
  // The linear-time kernels take heads as qkv leaves them, and no bias.
  const bool linear = linearKernelsTake(qkv) && !m_rotary && !m_own.relativePositions;
  HeadLogits logits = logitMasks(qkv.options(), linear);
  if (m_own.relativePositions) logits.bias = relativeBias();
  return logits;
}

AttentionOutput SoftmaxAttention::attend(const at::Tensor& qkv, bool wantMap) {
  return runHeads(splitInputs(qkv), logitsOf(qkv), wantMap);
}

at::Tensor SoftmaxAttention::forward(const at::Tensor& tokens, AttentionHook* tap) {
  const bool wanted = tap && tap->wants(m_options.layer);
  const bool inFull = wanted || m_rotary || m_norm;  // all but the kernels read float32
  const at::Tensor given = projected(tokens), qkv = inFull ? inFloat32(given) : given;
  const AttentionOutput result = attend(qkv, wanted);
  if (wanted) {
    tap->take(m_options.layer, result.map);
    const at::Tensor values = HeadInputs::packed(qkv, m_options.heads).part(2);
    tap->follow(m_options.layer, {{{result.map, values, result.output}}});
    if (tap->wantsRows(m_options.layer))
      tap->keep(m_options.layer, std::make_shared<SoftmaxRows>(splitInputs(qkv), logitsOf(qkv)));
  }
  return m_proj(throughHook(tap, m_norm ? m_norm(result.output) : result.output));
}

}  // namespace headlight
