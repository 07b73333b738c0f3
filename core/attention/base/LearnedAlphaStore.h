// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which α every head of a layer is learning, and those that it learned from other starts: what a
// head has learned outlives every edit of its mask.

#include <optional>
#include <vector>

#include "core/masks/LearnedAlpha.h"

namespace headlight {

class LearnedAlphaStore {
 public:
  /// Set aside of one head; the oldest goes where there would be more.
  static constexpr std::size_t kMaxAside = 64;

  explicit LearnedAlphaStore(int heads) : m_heads(heads) {}

  /// Whether the value in the tensor is that of this soft mask already.
  bool isUsing(int head, const HeadMask& mask) const;

  /// The head is soft with `mask` from now on, and `logit` is what its tensor holds. Returns what
  /// it goes on with: what it learned from the same start, else the logit of mask.alpha. A higher
  /// count of resets always begins anew; a lower one that it never had counts as the same.
  double use(int head, const HeadMask& mask, double logit);

  std::vector<LearnedAlpha> entries() const;
  void setEntries(const std::vector<LearnedAlpha>& entries);

 private:
  struct Aside {
    HeadMask from;
    double logit;
  };
  struct Head {
    std::optional<HeadMask> from;  ///< of the value in the tensor; nothing: it means nothing
    std::vector<Aside> aside;      ///< oldest first
  };
  static std::optional<double> take(Head& head, const HeadMask& mask);
  static void setAside(Head& head, const HeadMask& from, double logit);

  std::vector<Head> m_heads;
};

}  // namespace headlight
