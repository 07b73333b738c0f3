// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/interventions/PartsHook.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <utility>

#include "core/base/Translation.h"
#include "core/workbench/evaluation/HeadOutputs.h"

namespace headlight {
namespace {

using Site = InterventionSite;

[[noreturn]] void refusePart(Site site, int layer) {
  throw Failure({ErrorCode::InvalidArgument,
                 tr("this part cannot be replaced in this model; choose another one, such as "
                    "residual"),
                 interventionText({site, layer})});
}

void requirePieceAt(int place, std::int64_t count, const char* what, Site site) {
  if (place < count) return;
  throw Failure({ErrorCode::InvalidArgument,
                 tr("there is no ") + std::string(what) + " " + std::to_string(place) +
                     tr("; there are ") + std::to_string(count) + tr(", counted from 0"),
                 interventionSiteName(site)});
}

/// [B, T, H, 1], true at the places.
at::Tensor placeMask(const at::Tensor& value, const PartReplacement& replacement) {
  at::Tensor mask = at::zeros({value.size(0), value.size(1), value.size(2), 1}, at::kBool);
  for (const PartPlace& place : replacement.places) {
    requirePieceAt(place.token, value.size(1), "token", replacement.site);
    requirePieceAt(place.head, value.size(2), "head", replacement.site);
    at::Tensor some = mask[place.image];
    if (place.token >= 0) some = some.narrow(0, place.token, 1);
    if (place.head >= 0) some = some.narrow(1, place.head, 1);
    some.fill_(true);
  }
  return mask.to(value.device());
}

/// [B, T', H·e] → [B, T', H, e], [B, H, Tq, Tk] → [B, Tq, H, Tk], [B, T', D] → [B, T', 1, D].
at::Tensor byPlace(Site site, const at::Tensor& value, int heads) {
  if (site == Site::Pattern) return value.transpose(1, 2);
  if (site == Site::Heads) return value.reshape({value.size(0), value.size(1), heads, -1});
  return value.unsqueeze(2);
}

at::Tensor backFromPlace(Site site, const at::Tensor& value) {
  return site == Site::Pattern ? value.transpose(1, 2) : value.flatten(2);
}

at::Tensor givenSource(const PartReplacement& replacement, const at::Tensor& value, int heads) {
  if (!replacement.source.defined()) return at::zeros({1}, value.options());
  const at::Tensor given = byPlace(replacement.site, replacement.source, heads);
  if (given.sizes().slice(1) != value.sizes().slice(1))
    throw Failure({ErrorCode::InvalidArgument,
                   tr("the other image gives other tokens; give images of one size"),
                   interventionSiteName(replacement.site)});
  return given.to(value.options());
}

/// [B, H, T, e] → [B, T, H·e]; others as they are.
at::Tensor headsSideBySide(const at::Tensor& mixed) {
  return mixed.dim() == 4 ? mixed.transpose(1, 2).flatten(2) : mixed;
}

}  // namespace

const at::Tensor& PartActivations::of(InterventionSite site) const {
  switch (site) {
    case Site::Residual:
      return entering;
    case Site::Attention:
      return attention;
    case Site::Mlp:
      return mlp;
    case Site::Heads:
      return heads;
    default:
      return pattern;
  }
}

at::Tensor& PartActivations::of(InterventionSite site) {
  return const_cast<at::Tensor&>(std::as_const(*this).of(site));
}

void PartsHook::replace(PartReplacement replacement) {
  m_replacements.push_back(std::move(replacement));
  m_done.push_back(false);
}

bool PartsHook::replaces(InterventionSite site) const {
  return std::any_of(m_replacements.begin(), m_replacements.end(),
                     [site](const PartReplacement& one) { return one.site == site; });
}

void PartsHook::keep(InterventionSite site, const at::Tensor& value) {
  if (m_keep != Keep::Nothing) m_kept.of(site) = value.detach().clone();
}

at::Tensor PartsHook::replaced(InterventionSite site, at::Tensor value) {
  for (std::size_t i = 0; i < m_replacements.size(); ++i) {
    if (m_replacements[i].site != site) continue;
    m_done[i] = true;
    value = at::where(placeMask(value, m_replacements[i]),
                      givenSource(m_replacements[i], value, m_heads), value);
  }
  return value;
}

at::Tensor PartsHook::run(Model& model, int layer, const at::Tensor& tokens) {
  keep(Site::Residual, tokens);
  at::Tensor entering = tokens;
  if (replaces(Site::Residual))
    entering = backFromPlace(Site::Residual,
                             replaced(Site::Residual, byPlace(Site::Residual, tokens, m_heads)));
  at::Tensor leaving = model.block(layer, entering, this);
  requireReplaced(layer);
  m_products.clear();
  return leaving;
}

bool PartsHook::wants(int) const {
  return m_wantMap || m_keep == Keep::PartsAndPattern || replaces(Site::Pattern);
}

void PartsHook::take(int, const at::Tensor& map) {
  if (m_wantMap) m_map = map;
}

void PartsHook::follow(int, FollowedMap map) {
  m_products = std::move(map.products);
}

/// Where the heads' outputs are weights times values and nothing else, so that other weights can
/// stand in for them.
at::Tensor PartsHook::byNewPattern(const at::Tensor& outputs) {
  if (!areWeighedValues(m_products, outputs, m_heads)) return outputs;
  const at::Tensor weights = m_products[0].weights.detach();
  keep(Site::Pattern, weights);
  if (m_keep == Keep::PartsAndPattern) m_kept.values = m_products[0].values.detach().clone();
  if (!replaces(Site::Pattern)) return outputs;
  const at::Tensor now = backFromPlace(
      Site::Pattern, replaced(Site::Pattern, byPlace(Site::Pattern, weights, m_heads)));
  return outputs + headsSideBySide(at::matmul(now - weights, m_products[0].values.detach()));
}

at::Tensor PartsHook::heads(const at::Tensor& outputs) {
  at::Tensor now = wants(0) ? byNewPattern(outputs) : outputs;
  keep(Site::Heads, now);
  if (!replaces(Site::Heads)) return now;
  return backFromPlace(Site::Heads, replaced(Site::Heads, byPlace(Site::Heads, now, m_heads)));
}

at::Tensor PartsHook::branch(BlockBranch part, const at::Tensor& added) {
  const Site site = part == BlockBranch::Attention ? Site::Attention : Site::Mlp;
  keep(site, added);
  if (!replaces(site)) return added;
  return backFromPlace(site, replaced(site, byPlace(site, added, m_heads)));
}

void PartsHook::requireReplaced(int layer) const {
  for (std::size_t i = 0; i < m_replacements.size(); ++i)
    if (!m_done[i]) refusePart(m_replacements[i].site, layer);
}

PartSize partSize(const PartActivations& kept, InterventionSite site, int heads, int layer) {
  const at::Tensor& value = kept.of(site);
  if (!value.defined()) refusePart(site, layer);
  const bool pattern = site == Site::Pattern;
  return {siteHasHeads(site) ? heads : 1, static_cast<int>(value.size(pattern ? 2 : 1))};
}

}  // namespace headlight
