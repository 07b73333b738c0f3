// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/masks/RandomScheme.h"

#include <charconv>

#include "core/base/Random.h"

namespace headlight {
namespace {

constexpr std::string_view kPrefix = "random-like:";
constexpr std::uint64_t kDealPurpose = 0x6465616c;  // "deal"

}  // namespace

MaskScheme dealtOut(const MaskScheme& scheme, std::uint64_t seed) {
  MaskScheme dealt = scheme;
  for (int l = 0; l < scheme.maskableLayers(); ++l) {
    const auto order = permutation(scheme.heads(l),
                                   streamKey({seed, kDealPurpose, static_cast<std::uint64_t>(l)}));
    for (int h = 0; h < scheme.heads(l); ++h)
      dealt.set(l, h, scheme.at(l, static_cast<int>(order[h])));
  }
  return dealt;
}

MaskScheme randomScheme(const RandomLike& like, const MaskScheme& base, const std::string& name) {
  MaskScheme dealt = dealtOut(base, like.seed);
  dealt.setName(name);
  return dealt;
}

std::optional<RandomLike> randomLikeFromText(const std::string& name) {
  if (!name.starts_with(kPrefix)) return std::nullopt;
  RandomLike like{name.substr(kPrefix.size())};
  const auto at = like.base.rfind('@');
  if (at == std::string::npos) return like;
  const char *begin = like.base.data() + at + 1, *end = like.base.data() + like.base.size();
  std::uint64_t seed = 0;
  const auto read = std::from_chars(begin, end, seed);
  if (read.ec != std::errc() || read.ptr != end) return like;  // of a file's name
  return RandomLike{like.base.substr(0, at), seed};
}

}  // namespace headlight
