#include "core/attention/SoftmaxAttention.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/attention/kernels/DenseAttention.h"
#include "core/masks/Neighbourhood.h"

namespace headlight {
namespace {

/// [T, T] bytes as a tensor that owns its memory.
at::Tensor asTensor(const std::vector<std::uint8_t>& mask, std::int64_t tokens) {
  return at::from_blob(const_cast<std::uint8_t*>(mask.data()), {tokens, tokens}, at::kByte).clone();
}

bool anyOf(const std::vector<HeadMask>& masks, MaskKind kind) {
  return std::any_of(masks.begin(), masks.end(),
                     [kind](const HeadMask& mask) { return mask.kind == kind; });
}

LogitRule ruleOf(MaskKind kind) {
  switch (kind) {
    case MaskKind::Hard:
    case MaskKind::Random:
      return LogitRule::Multiply;
    case MaskKind::Soft:
      return LogitRule::Blend;
    case MaskKind::Strict:
      return LogitRule::Forbid;
    case MaskKind::None:
      break;
  }
  return LogitRule::Keep;
}

}  // namespace

SoftmaxAttention::SoftmaxAttention(const AttentionOptions& options)
    : m_options(options), m_masks(options.heads) {
  using torch::nn::LinearOptions;
  m_qkv = register_module(
      "qkv",
      torch::nn::Linear(LinearOptions(options.width, 3 * options.width).bias(options.qkvBias)));
  m_proj = register_module("proj", torch::nn::Linear(options.width, options.width));
  m_neighbourhoods.resize(options.heads);
}

std::string SoftmaxAttention::mapMeaning() const {
  return "Softmax attention: each row sums to 1 over the tokens that its query looks at.";
}

at::Tensor SoftmaxAttention::forward(const at::Tensor& tokens, AttentionTap* tap) {
  const bool wanted = tap && tap->wants(m_options.layer);
  auto [output, map] = denseAttention(m_qkv(tokens), m_options.heads, logitMasks(), wanted);
  if (wanted) tap->take(m_options.layer, map);
  return m_proj(output);
}

void SoftmaxAttention::setMasks(const std::vector<HeadMask>& masks) {
  updateSoftLogits(masks);
  updateRandomMasks(masks);
  const auto like = m_qkv->weight.options();
  for (std::size_t h = 0; h < masks.size(); ++h) {
    if (masks[h] == m_masks[h]) continue;
    if (masks[h].kind == MaskKind::None) {
      m_neighbourhoods[h] = at::Tensor();
    } else if (masks[h].kind == MaskKind::Random) {
      m_neighbourhoods[h] = m_randomMask[static_cast<std::int64_t>(h)].to(like.dtype());
    } else {
      const auto mask = neighbourhoodMask(m_options.grid, masks[h].window);
      m_neighbourhoods[h] = asTensor(mask, m_options.grid.tokens()).to(like);
    }
  }
  m_masks = masks;
}

/// A head that becomes soft, or whose initial α was edited, starts from its α; a head that stays
/// soft keeps what it learned.
void SoftmaxAttention::updateSoftLogits(const std::vector<HeadMask>& masks) {
  if (!anyOf(masks, MaskKind::Soft)) return;
  const at::NoGradGuard noGrad;
  const bool first = !m_softLogit.defined();
  if (first)
    m_softLogit = register_parameter("soft_mask_logit",
                                     at::zeros({m_options.heads}, m_qkv->weight.options()));
  for (std::size_t h = 0; h < masks.size(); ++h) {
    if (masks[h].kind != MaskKind::Soft) continue;
    const bool stays = m_masks[h].kind == MaskKind::Soft && m_masks[h].alpha == masks[h].alpha;
    if (first || !stays)
      m_softLogit[static_cast<std::int64_t>(h)] = std::log(masks[h].alpha / (1.0 - masks[h].alpha));
  }
}

void SoftmaxAttention::updateRandomMasks(const std::vector<HeadMask>& masks) {
  if (!anyOf(masks, MaskKind::Random)) return;
  const auto tokens = m_options.grid.tokens();
  const bool first = !m_randomMask.defined();
  if (first)
    m_randomMask = register_buffer(
        "random_mask",
        at::zeros({m_options.heads, tokens, tokens}, m_qkv->weight.options().dtype(at::kBool)));
  for (std::size_t h = 0; h < masks.size(); ++h) {
    if (masks[h].kind != MaskKind::Random || (!first && m_masks[h] == masks[h])) continue;
    // Each head and layer draws its own mask from the same seed.
    const std::uint64_t seed = masks[h].seed * 1000003u + m_options.layer * 1009u + h;
    m_randomMask[static_cast<std::int64_t>(h)].copy_(
        asTensor(randomMask(m_options.grid, masks[h].window, seed), tokens));
  }
}

std::vector<float> SoftmaxAttention::softAlphas() const {
  std::vector<float> alphas(m_options.heads, std::numeric_limits<float>::quiet_NaN());
  if (!m_softLogit.defined()) return alphas;
  const at::Tensor values = m_softLogit.detach().sigmoid().to(at::kCPU, at::kFloat).contiguous();
  for (std::size_t h = 0; h < m_masks.size(); ++h)
    if (m_masks[h].kind == MaskKind::Soft) alphas[h] = values.data_ptr<float>()[h];
  return alphas;
}

HeadLogits SoftmaxAttention::logitMasks() {
  HeadLogits logits;
  const auto like = m_qkv->weight.options();
  for (std::size_t h = 0; h < m_masks.size(); ++h) {
    logits.rules.push_back(ruleOf(m_masks[h].kind));
    // Follows the model to another device or dtype; a no-op otherwise.
    if (m_masks[h].kind == MaskKind::Random)
      m_neighbourhoods[h] = m_randomMask[static_cast<std::int64_t>(h)].to(like.dtype());
    else if (m_neighbourhoods[h].defined())
      m_neighbourhoods[h] = m_neighbourhoods[h].to(like);
  }
  logits.masks = m_neighbourhoods;
  if (anyOf(m_masks, MaskKind::Soft)) logits.alpha = m_softLogit.sigmoid();
  return logits;
}

}  // namespace headlight
