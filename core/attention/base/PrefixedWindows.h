// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Windows that class and distillation tokens stand in. They have no place on the grid: as the
// neighborhood masks have it, every patch sees them and they see every patch, of all windows.

#include <ATen/core/Tensor.h>

#include "core/attention/base/Windows.h"

namespace headlight {

/// For all tokens of B images, those before the grid and those in its W windows of M places, by
/// heads or not. P prefix tokens; `prefix` is undefined where there are none.
struct WindowTokens {
  at::Tensor prefix;   ///< [B, P, C] or [B, H, P, d]
  at::Tensor windows;  ///< [B·W, M, C] or [B·W, H, M, d]
};

class PrefixedWindows {
 public:
  /// `shape` is of the grid without its `prefix` tokens.
  PrefixedWindows(int prefix, const WindowShape& shape) : m_prefix(prefix), m_windows(shape) {}

  int prefix() const { return m_prefix; }
  Windows& windows() { return m_windows; }
  const WindowShape& shape() const { return m_windows.shape(); }
  /// What a window's patches see: its places, the prefix tokens before them.
  Grid keys() const;

  /// [B, P + N, C] in parts, and back again from the same without heads.
  WindowTokens split(const at::Tensor& tokens) const;
  at::Tensor joined(const WindowTokens& tokens) const;

  /// By heads: what each window sees, [B·W, H, P + M, d]; and the tokens of whole images,
  /// [B, H, P + N, d].
  at::Tensor seen(const WindowTokens& heads) const;
  at::Tensor whole(const WindowTokens& heads) const;

  /// Windows::places() and patchesInSight() of all tokens: [P + N] and [P + N, M], the patches in
  /// sight counted as tokens; of a prefix token place −1, and nothing in sight.
  at::Tensor tokenPlaces() const;
  /// Windows::patches(), counted as tokens.
  at::Tensor windowTokens() const;
  at::Tensor tokensInSight();

  /// [.., M, M] of pairs of places as [.., M, P + M]: `neutral` of those with a prefix token.
  at::Tensor widened(const at::Tensor& pairs, double neutral) const;

  /// Rows of patches [B·W, H, M, P + M] and of prefix tokens [B, H, P, P + N] (undefined without)
  /// as the map of whole images, [B, H, P + N, P + N], without a graph.
  at::Tensor wholeMap(const at::Tensor& patchRows, const at::Tensor& prefixRows);

 private:
  int m_prefix;
  Windows m_windows;
};

}  // namespace headlight
