#include "core/attention/MaskedAttention.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>

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

MaskedAttention::MaskedAttention(int layer, int heads, const Grid& grid)
    : Attention(heads), m_layer(layer), m_grid(grid), m_masks(heads), m_neighbourhoods(heads) {}

void MaskedAttention::setMasks(const std::vector<HeadMask>& masks) {
  updateSoftLogits(masks);
  updateRandomMasks(masks);
  for (std::size_t h = 0; h < masks.size(); ++h) {
    if (masks[h] == m_masks[h]) continue;
    if (masks[h].kind == MaskKind::None) {
      m_neighbourhoods[h] = at::Tensor();
    } else if (masks[h].kind == MaskKind::Random) {
      m_neighbourhoods[h] = m_randomMask[static_cast<std::int64_t>(h)].to(at::kFloat);
    } else {
      const auto mask = neighbourhoodMask(m_grid, masks[h].window);
      m_neighbourhoods[h] = asTensor(mask, m_grid.tokens()).to(at::kFloat);
    }
  }
  m_masks = masks;
}

/// A head that becomes soft, or whose initial α was edited, starts from its α; a head that stays
/// soft keeps what it learned.
void MaskedAttention::updateSoftLogits(const std::vector<HeadMask>& masks) {
  if (!anyOf(masks, MaskKind::Soft)) return;
  const at::NoGradGuard noGrad;
  const bool first = !m_softLogit.defined();
  const at::TensorOptions like = parameters().front().options();
  if (first)
    m_softLogit = register_parameter("soft_mask_logit",
                                     at::zeros({static_cast<std::int64_t>(masks.size())}, like));
  for (std::size_t h = 0; h < masks.size(); ++h) {
    if (masks[h].kind != MaskKind::Soft) continue;
    const bool stays = m_masks[h].kind == MaskKind::Soft && m_masks[h].alpha == masks[h].alpha;
    if (first || !stays)
      m_softLogit[static_cast<std::int64_t>(h)] = std::log(masks[h].alpha / (1.0 - masks[h].alpha));
  }
}

void MaskedAttention::updateRandomMasks(const std::vector<HeadMask>& masks) {
  if (!anyOf(masks, MaskKind::Random)) return;
  const auto tokens = m_grid.tokens();
  const bool first = !m_randomMask.defined();
  const at::TensorOptions like = parameters().front().options();
  if (first)
    m_randomMask = register_buffer(
        "random_mask", at::zeros({static_cast<std::int64_t>(masks.size()), tokens, tokens},
                                 like.dtype(at::kBool)));
  for (std::size_t h = 0; h < masks.size(); ++h) {
    if (masks[h].kind != MaskKind::Random || (!first && m_masks[h] == masks[h])) continue;
    // Each head and layer draws its own mask from the same seed.
    const std::uint64_t seed = masks[h].seed * 1000003u + m_layer * 1009u + h;
    m_randomMask[static_cast<std::int64_t>(h)].copy_(
        asTensor(randomMask(m_grid, masks[h].window, seed), tokens));
  }
}

std::vector<float> MaskedAttention::softAlphas() const {
  std::vector<float> alphas(m_masks.size(), std::numeric_limits<float>::quiet_NaN());
  if (!m_softLogit.defined()) return alphas;
  const at::Tensor values = m_softLogit.detach().sigmoid().to(at::kCPU, at::kFloat).contiguous();
  for (std::size_t h = 0; h < m_masks.size(); ++h)
    if (m_masks[h].kind == MaskKind::Soft) alphas[h] = values.data_ptr<float>()[h];
  return alphas;
}

HeadLogits MaskedAttention::logitMasks(const at::TensorOptions& like) {
  HeadLogits logits;
  for (std::size_t h = 0; h < m_masks.size(); ++h) {
    logits.rules.push_back(ruleOf(m_masks[h].kind));
    // Follows the model to another device or dtype; a no-op otherwise.
    if (m_masks[h].kind == MaskKind::Random)
      m_neighbourhoods[h] = m_randomMask[static_cast<std::int64_t>(h)].to(like);
    else if (m_neighbourhoods[h].defined())
      m_neighbourhoods[h] = m_neighbourhoods[h].to(like);
  }
  logits.masks = m_neighbourhoods;
  if (anyOf(m_masks, MaskKind::Soft)) logits.alpha = m_softLogit.sigmoid();
  return logits;
}

at::Tensor MaskedAttention::masked(const at::Tensor& logits) {
  const HeadLogits rules = logitMasks(logits.options());
  return rules.anyMasked() ? maskedLogits(logits, rules) : logits;
}

}  // namespace headlight
