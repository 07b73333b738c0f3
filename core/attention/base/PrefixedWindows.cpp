// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/base/PrefixedWindows.h"

#include <ATen/ATen.h>

namespace headlight {

Grid PrefixedWindows::keys() const {
  Grid grid = shape().window;
  grid.prefix = m_prefix;
  return grid;
}

WindowTokens PrefixedWindows::split(const at::Tensor& tokens) const {
  if (m_prefix == 0) return {{}, m_windows.partition(tokens)};
  return {tokens.slice(1, 0, m_prefix), m_windows.partition(tokens.slice(1, m_prefix))};
}

at::Tensor PrefixedWindows::joined(const WindowTokens& tokens) const {
  const at::Tensor patches = m_windows.reverse(tokens.windows);
  return m_prefix == 0 ? patches : at::cat({tokens.prefix, patches}, 1);
}

at::Tensor PrefixedWindows::seen(const WindowTokens& heads) const {
  if (m_prefix == 0) return heads.windows;
  const at::Tensor& prefix = heads.prefix;
  const at::Tensor everywhere = prefix.unsqueeze(1)
                                    .expand({-1, shape().count(), -1, -1, -1})
                                    .reshape({-1, prefix.size(1), prefix.size(2), prefix.size(3)});
  return at::cat({everywhere, heads.windows}, 2);
}

at::Tensor PrefixedWindows::whole(const WindowTokens& heads) const {
  const std::int64_t count = heads.windows.size(1), width = heads.windows.size(3);
  const at::Tensor sideBySide = heads.windows.transpose(1, 2).flatten(2);  // [B·W, M, H·d]
  const at::Tensor patches = m_windows.reverse(sideBySide)
                                 .view({-1, shape().grid.patches(), count, width})
                                 .transpose(1, 2);
  return m_prefix == 0 ? patches : at::cat({heads.prefix, patches}, 2);
}

at::Tensor PrefixedWindows::windowTokens() const {
  const at::Tensor patches = m_windows.patches();
  return at::where(patches < 0, patches, patches + m_prefix);
}

at::Tensor PrefixedWindows::tokenPlaces() const {
  return at::constant_pad_nd(m_windows.places(), {m_prefix, 0}, -1);
}

at::Tensor PrefixedWindows::tokensInSight() {
  const at::Tensor seen = m_windows.patchesInSight();
  return at::constant_pad_nd(at::where(seen < 0, seen, seen + m_prefix), {0, 0, m_prefix, 0}, -1);
}

at::Tensor PrefixedWindows::widened(const at::Tensor& pairs, double neutral) const {
  if (m_prefix == 0 || !pairs.defined()) return pairs;
  return at::constant_pad_nd(pairs, {m_prefix, 0}, neutral);
}

at::Tensor PrefixedWindows::wholeMap(const at::Tensor& patchRows, const at::Tensor& prefixRows) {
  const at::NoGradGuard noGrad;
  if (m_prefix == 0) return m_windows.wholeMap(patchRows);
  const at::Tensor ofPrefix = whole({prefixRows.slice(3, 0, m_prefix),  // only to be cut off
                                     patchRows.slice(3, 0, m_prefix)})
                                  .slice(2, m_prefix);
  const at::Tensor ofPatches = m_windows.wholeMap(patchRows.slice(3, m_prefix));
  return at::cat({prefixRows, at::cat({ofPrefix, ofPatches}, 3)}, 2);
}

}  // namespace headlight
