// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Where one head may look (MaiT §4; core/attention applies it to logits).

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/Result.h"
#include "core/masks/DrawnMask.h"

namespace headlight {

enum class MaskKind {
  None,    ///< every token
  Hard,    ///< logits outside the R × R neighborhood become 0 and stay in the softmax (Eq. 2)
  Soft,    ///< logits outside are multiplied by a learnable α in (0, 1) (§4.3)
  Strict,  ///< logits outside become −∞
  Random,  ///< as Hard, with as many tokens per row drawn at random (§5.6)
  /// Logits get d·ln γ, d the Manhattan distance of the patches, so that before rows are divided by
  /// their sums every weight is multiplied by γ^d (RMT, Fan et al. 2024, as released: softmax(S +
  /// d·ln γ). Its equation, softmax(S) ⊙ γ^d, is the same but for rows' sums). Prefix tokens have
  /// no distance.
  Decay,
};

/// What is inside.
enum class RegionKind {
  Square,  ///< patches within (R − 1)/2 rows and columns of the query; fewer at borders
  Natten,  ///< R × R of every `dilation`-th patch, shifted at borders so that none is missing
  Drawn,   ///< what somebody drew
};

/// A patch that sees all and is seen by all, as prefix tokens are (Longformer's global attention,
/// Beltagy et al. 2020, with the projections of the others).
struct GlobalPatch {
  int row = 0, col = 0;  ///< of the layer's grid
  bool operator==(const GlobalPatch&) const = default;
};

struct MaskRegion {
  RegionKind kind = RegionKind::Square;
  /// The window is in pixels of the image: in a hierarchical model, R shrinks with the layer's
  /// stride (MaskRegions.h, inPatches).
  bool inPixels = false;
  int dilation = 1;  ///< Natten: δ, at least 1
  int stride = 1;    ///< Natten: so many queries in a row share a window; 1 to R
  std::vector<GlobalPatch> global = {};
  std::shared_ptr<const DrawnMask> drawn = nullptr;  ///< Drawn

  bool operator==(const MaskRegion& other) const;
  /// The R × R square of MaiT and nothing besides.
  bool isPlain() const { return kind == RegionKind::Square && !inPixels && global.empty(); }
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
  double gamma = 0.9;      ///< Decay: γ, in (0, 1]
  MaskRegion region = {};  ///< ignored by None and Decay; Random has a plain one

  /// Equal in what they do: parameters that the kind ignores are not compared.
  bool operator==(const HeadMask& other) const;
  /// Equal but for `resets`: the same mask as somebody paints it.
  bool looksLike(const HeadMask& other) const;
};

/// For messages and tables: as toText, but drawn pixels are left out, "hard: drawn, 3 x 3 offsets".
std::string shortText(const HeadMask& mask);

/// "none", "hard:3", "soft:5@0.25", "strict:3", "random:3#7", and of a head that was reset once
/// "soft:5@0.25~1": the form in configs and on the command line. A missing window is 3, a missing α
/// 0.5, a missing seed 0, a missing count of resets 0. Besides: "decay:0.9"; "strict:natten7d2s3",
/// NATTEN's 7 × 7 of every second patch, three queries a window; "hard:48px", in pixels;
/// "hard:3+0.0", with a global patch in row 0, column 0; "hard:drawnoffsets3x3=XQ", drawn.
std::string toText(const HeadMask& mask);
Result<HeadMask> headMaskFromText(const std::string& text);

const std::vector<std::string>& maskKindNames();  ///< in the order of the enum
std::string maskKindName(MaskKind kind);

}  // namespace headlight
