// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Where one head may look (MaiT §4; core/attention applies it to logits).

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/Result.h"

namespace headlight {

enum class MaskKind {
  None,    ///< every token
  Hard,    ///< logits outside the R × R neighborhood become 0 and stay in the softmax (Eq. 2)
  Soft,    ///< logits outside are multiplied by a learnable α in (0, 1) (§4.3)
  Strict,  ///< logits outside become −∞
  Random,  ///< as Hard, with as many tokens per row drawn at random (§5.6)
};

struct HeadMask {
  MaskKind kind = MaskKind::None;
  int window = 3;          ///< R: odd, at least 1. Ignored by None
  double alpha = 0.5;      ///< Soft: the α it starts from, in (0, 1)
  std::uint64_t seed = 0;  ///< Random: what the mask is drawn from
  /// How often the person had the head forget the α it learned, whatever its kind is now: a higher
  /// count makes a soft mask learn anew, from `alpha`; the old count brings back what was learned
  /// under it.
  int resets = 0;

  /// Equal in what they do: parameters that the kind ignores are not compared.
  bool operator==(const HeadMask& other) const;
  /// Equal but for `resets`: the same mask as somebody paints it.
  bool looksLike(const HeadMask& other) const;
};

/// "none", "hard:3", "soft:5@0.25", "strict:3", "random:3#7", and of a head that was reset once
/// "soft:5@0.25~1": the form in configs and on the command line. A missing window is 3, a missing α
/// 0.5, a missing seed 0, a missing count of resets 0.
std::string toText(const HeadMask& mask);
Result<HeadMask> headMaskFromText(const std::string& text);

const std::vector<std::string>& maskKindNames();  ///< in the order of the enum
std::string maskKindName(MaskKind kind);

}  // namespace headlight
