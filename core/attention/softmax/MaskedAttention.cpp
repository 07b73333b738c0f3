// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/softmax/MaskedAttention.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>

#include "core/attention/base/MixedPrecision.h"
#include "core/attention/base/QueryKeyCapture.h"
#include "core/base/FreeMemory.h"
#include "core/base/Translation.h"
#include "core/masks/MaskRegions.h"
#include "core/masks/Neighborhood.h"

namespace headlight {
namespace {

/// [Tq, Tk] bytes as a tensor that owns its memory.
at::Tensor asTensor(const std::vector<std::uint8_t>& mask, const Grid& queries, const Grid& keys) {
  return at::from_blob(const_cast<std::uint8_t*>(mask.data()), {queries.tokens(), keys.tokens()},
                       at::kByte)
      .clone();
}

/// [Tq, Tk] of d·ln γ.
at::Tensor decayTensor(double gamma, const Grid& queries, const Grid& keys) {
  std::vector<double> logits = decayLogits(gamma, queries, keys);
  return at::from_blob(logits.data(), {queries.tokens(), keys.tokens()}, at::kDouble).clone();
}

/// Whether two masks, neither of them random, select the same keys.
bool selectTheSame(const HeadMask& a, const HeadMask& b) {
  return a.region == b.region && (a.region.kind == RegionKind::Drawn || a.window == b.window);
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
    case MaskKind::Decay:
      return LogitRule::Add;
    case MaskKind::None:
      break;
  }
  return LogitRule::Keep;
}

}  // namespace

MaskedAttention::MaskedAttention(int layer, int heads, const Grid& grid)
    : MaskedAttention(layer, heads, grid, grid) {}

MaskedAttention::MaskedAttention(int layer, int heads, const Grid& queries, const Grid& keys)
    : Attention(heads),
      m_layer(layer),
      m_home(queries),
      m_queries(queries),
      m_keys(keys),
      m_masks(heads),
      m_alphas(heads),
      m_matrices(heads),
      m_sets(heads) {}

void MaskedAttention::requireFit(const std::vector<HeadMask>& masks, const Grid& queries,
                                 const Grid& keys) const {
  for (std::size_t h = 0; h < masks.size(); ++h) {
    const std::string place =
        "masks of layer " + std::to_string(m_layer) + ", head " + std::to_string(h);
    if (const auto fits = checkRegion(masks[h], queries, keys); !fits)
      throw Failure({fits.error().code, fits.error().message, place});
    if (masks[h].kind == MaskKind::Decay && m_kernel == Kernel::Linear)
      throw Failure(
          {ErrorCode::InvalidConfig,
           tr("the linear-time kernel cannot apply a decay exactly: every pair of patches "
              "has a weight of its own, so that none can be summed beforehand; set "
              "model.attention.kernel to auto or dense"),
           place});
  }
}

void MaskedAttention::setMasks(const std::vector<HeadMask>& masks) {
  requireFit(masks, m_queries, m_keys);
  updateSoftLogits(masks);
  updateRandomMasks(masks);
  for (std::size_t h = 0; h < masks.size(); ++h) {
    if (masks[h] == m_masks[h]) continue;
    m_matrices[h] = at::Tensor();
    m_sets[h] = nullptr;
  }
  m_masks = masks;
}

void MaskedAttention::moveTo(const Grid& grid) {
  if (grid == m_queries && grid == m_keys) return;
  if (anyOf(m_masks, MaskKind::Random))
    throw Failure({ErrorCode::InvalidConfig,
                   tr("random masks belong to images of one size; use that size, or other masks"),
                   "masks"});
  requireFit(m_masks, grid, grid);
  m_queries = m_keys = grid;
  std::fill(m_matrices.begin(), m_matrices.end(), at::Tensor());
  std::fill(m_sets.begin(), m_sets.end(), nullptr);
}

void MaskedAttention::makeSoftLogits() {
  if (!m_softLogit.defined())
    m_softLogit = register_parameter(
        "soft_mask_logit", at::zeros({static_cast<std::int64_t>(m_masks.size())},
                                     parameters().front().options().requires_grad(false)));
}

/// What a head goes on from is for its memory to say (LearnedAlphaStore).
void MaskedAttention::updateSoftLogits(const std::vector<HeadMask>& masks) {
  if (!anyOf(masks, MaskKind::Soft)) return;
  const at::NoGradGuard noGrad;
  makeSoftLogits();
  for (std::size_t h = 0; h < masks.size(); ++h) {
    const int head = static_cast<int>(h);
    if (masks[h].kind != MaskKind::Soft || m_alphas.isUsing(head, masks[h])) continue;
    const at::Tensor logit = m_softLogit[head];
    // Tensors of the meta device have no values.
    const double present = logit.is_meta() ? 0 : logit.item<double>();
    logit.fill_(m_alphas.use(head, masks[h], present));
  }
}

void MaskedAttention::setLearnedAlphas(const std::vector<LearnedAlpha>& learned) {
  m_alphas.setEntries(learned);
  if (!learned.empty()) makeSoftLogits();
}

at::Tensor MaskedAttention::idleAlphas() const {
  if (!m_softLogit.defined()) return {};
  std::vector<std::int64_t> idle;
  for (const HeadMask& mask : m_masks)
    idle.push_back(mask.kind != MaskKind::Soft);
  return at::tensor(idle).to(m_softLogit.device(), at::kBool);
}

void MaskedAttention::updateRandomMasks(const std::vector<HeadMask>& masks) {
  if (!anyOf(masks, MaskKind::Random)) return;
  if (!(m_queries == m_home)) moveTo(m_home);  // they belong to the config's images
  const bool first = !m_randomMask.defined();
  const at::TensorOptions like = parameters().front().options();
  if (first) {
    const std::int64_t heads = static_cast<std::int64_t>(masks.size()),
                       pairs = std::int64_t{m_queries.tokens()} * m_keys.tokens();
    requireMemory(heads * pairs, "random masks of layer " + std::to_string(m_layer));
    m_randomMask = register_buffer(
        "random_mask",
        at::zeros({heads, m_queries.tokens(), m_keys.tokens()}, like.dtype(at::kBool)));
  }
  for (std::size_t h = 0; h < masks.size(); ++h) {
    if (masks[h].kind != MaskKind::Random || (!first && m_masks[h] == masks[h])) continue;
    const std::uint64_t seed = randomMaskSeed(masks[h].seed, m_layer, static_cast<int>(h));
    m_randomMask[static_cast<std::int64_t>(h)].copy_(
        asTensor(selectedMask(masks[h], m_queries, m_keys, seed), m_queries, m_keys));
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

bool MaskedAttention::runsLinear(std::size_t head, const at::Device& device) const {
  const HeadMask& mask = m_masks[head];
  if (mask.kind == MaskKind::None || mask.kind == MaskKind::Soft || mask.kind == MaskKind::Decay)
    return false;
  if (m_kernel != Kernel::Auto) return m_kernel == Kernel::Linear;
  // Where keys are gathered, every row takes as long as the longest, and that of a global patch has
  // all tokens.
  if (!device.is_cpu() && !mask.region.global.empty()) return false;
  const std::int64_t selected = selectedPatches(mask) + m_queries.prefix;
  return m_queries.tokens() > costOfSelected(device) * selected;
}

const at::Tensor& MaskedAttention::makeMatrix(std::size_t head, const at::TensorOptions& like) {
  at::Tensor& matrix = m_matrices[head];
  // A random mask may have been loaded from a checkpoint since.
  if (m_masks[head].kind == MaskKind::Random)
    return matrix = m_randomMask[static_cast<std::int64_t>(head)].to(like);
  if (!matrix.defined())
    matrix = m_masks[head].kind == MaskKind::Decay
                 ? decayTensor(m_masks[head].gamma, m_queries, m_keys)
                 : asTensor(selectedMask(m_masks[head], m_queries, m_keys, 0), m_queries, m_keys);
  return matrix = matrix.to(like);  // follows the model to another device or dtype
}

const std::shared_ptr<const SelectedSets>& MaskedAttention::setsOfHead(std::size_t head) {
  auto& sets = m_sets[head];
  const bool random = m_masks[head].kind == MaskKind::Random;
  // A random mask may have been loaded from a checkpoint since.
  if (random && m_randomVersion != m_randomMask._version()) {
    std::fill(m_sets.begin(), m_sets.end(), nullptr);
    m_randomVersion = m_randomMask._version();
  }
  if (sets) return sets;
  // Heads with the same mask share its sets.
  for (std::size_t other = 0; other < m_sets.size() && !random; ++other)
    if (m_sets[other] && m_masks[other].kind != MaskKind::Random &&
        selectTheSame(m_masks[other], m_masks[head]))
      return sets = m_sets[other];
  if (!random && m_masks[head].region.isPlain())
    return sets = neighborhoodSets(m_queries, m_masks[head].window);
  if (!random) {
    const auto ones = selectedMask(m_masks[head], m_queries, m_keys, 0);
    return sets = selectedSets(m_queries, ones.data());
  }
  const at::Tensor mask =
      m_randomMask[static_cast<std::int64_t>(head)].to(at::kCPU, at::kByte).contiguous();
  return sets = selectedSets(m_queries, mask.data_ptr<std::uint8_t>());
}

HeadLogits MaskedAttention::logitMasks(const at::TensorOptions& heads, bool linearAllowed) {
  const at::TensorOptions like = inFloat32(heads);
  HeadLogits logits;
  logits.masks.resize(m_masks.size());
  logits.sets.resize(m_masks.size());
  for (std::size_t h = 0; h < m_masks.size(); ++h) {
    logits.rules.push_back(ruleOf(m_masks[h].kind));
    if (logits.rules.back() == LogitRule::Keep) continue;
    if (linearAllowed && m_queries == m_keys && runsLinear(h, like.device()))
      logits.sets[h] = setsOfHead(h);
    else
      logits.masks[h] = makeMatrix(h, like);
  }
  if (anyOf(m_masks, MaskKind::Soft)) logits.alpha = m_softLogit.sigmoid();
  return logits;
}

AttentionOutput MaskedAttention::runHeads(const HeadInputs& given, const HeadLogits& logits,
                                          bool wantMap) {
  const HeadInputs inputs = asKernelsRead(given, logits);
  if (QueryKeyHook::wanted()) QueryKeyHook::notify(inputs.part(0), inputs.part(1));
  m_ran = headKernels(inputs.tensor(0), logits);
  return headAttention(inputs, logits, wantMap);
}

std::string MaskedAttention::kernelText() const {
  if (!m_ran.empty()) return headKernelsText(m_ran);
  const at::Tensor like = parameters().front();
  const bool linearAllowed = linearKernelsTake(like) && m_queries == m_keys;
  std::vector<HeadKernel> kernels;
  for (std::size_t h = 0; h < m_masks.size(); ++h)
    kernels.push_back(headKernel(like, linearAllowed && runsLinear(h, like.device())));
  return headKernelsText(kernels);
}

at::Tensor MaskedAttention::masked(const at::Tensor& logits) {
  const HeadLogits rules = logitMasks(logits.options());
  return rules.anyMasked() ? maskedLogits(logits, rules) : logits;
}

}  // namespace headlight
