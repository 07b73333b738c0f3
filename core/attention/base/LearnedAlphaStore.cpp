// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/base/LearnedAlphaStore.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace headlight {
namespace {

bool sameStart(const HeadMask& a, const HeadMask& b) {
  return a.alpha == b.alpha && a.resets == b.resets;
}

double logitOf(double alpha) {
  return std::log(alpha / (1.0 - alpha));
}

}  // namespace

bool LearnedAlphaStore::isUsing(int head, const HeadMask& mask) const {
  const auto& from = m_heads[head].from;
  return from && sameStart(*from, mask);
}

double LearnedAlphaStore::use(int head, const HeadMask& mask, double logit) {
  if (isUsing(head, mask)) return logit;
  Head& own = m_heads[head];
  const std::optional<HeadMask> before = std::exchange(own.from, mask);
  if (!before) return take(own, mask).value_or(logitOf(mask.alpha));
  if (mask.resets > before->resets) {
    std::erase_if(own.aside, [&](const Aside& a) { return a.from.resets > before->resets; });
    setAside(own, *before, logit);
    return logitOf(mask.alpha);
  }
  const std::optional<double> known = take(own, mask);
  const bool countsAlone = mask.alpha == before->alpha;
  if (!known && countsAlone) return logit;
  // Only what was learned is worth keeping: the start alone can be had again.
  if (mask.resets == before->resets &&
      static_cast<float>(logit) != static_cast<float>(logitOf(before->alpha)))
    setAside(own, *before, logit);
  return known.value_or(logitOf(mask.alpha));
}

/// Removes it from what is set aside.
std::optional<double> LearnedAlphaStore::take(Head& head, const HeadMask& mask) {
  const auto found = std::find_if(head.aside.begin(), head.aside.end(),
                                  [&](const Aside& a) { return sameStart(a.from, mask); });
  if (found == head.aside.end()) return std::nullopt;
  const double logit = found->logit;
  head.aside.erase(found);
  return logit;
}

void LearnedAlphaStore::setAside(Head& head, const HeadMask& from, double logit) {
  take(head, from);
  if (head.aside.size() == kMaxAside) head.aside.erase(head.aside.begin());
  head.aside.push_back({from, logit});
}

std::vector<LearnedAlpha> LearnedAlphaStore::entries() const {
  std::vector<LearnedAlpha> entries;
  for (std::size_t h = 0; h < m_heads.size(); ++h) {
    const int head = static_cast<int>(h);
    if (m_heads[h].from) entries.push_back({0, head, *m_heads[h].from, std::nullopt});
    for (const Aside& aside : m_heads[h].aside)
      entries.push_back({0, head, aside.from, aside.logit});
  }
  return entries;
}

void LearnedAlphaStore::setEntries(const std::vector<LearnedAlpha>& entries) {
  m_heads.assign(m_heads.size(), {});
  for (const LearnedAlpha& entry : entries) {
    if (static_cast<std::size_t>(entry.head) >= m_heads.size()) continue;
    Head& head = m_heads[entry.head];
    if (entry.logit)
      setAside(head, entry.from, *entry.logit);
    else
      head.from = entry.from;
  }
}

}  // namespace headlight
