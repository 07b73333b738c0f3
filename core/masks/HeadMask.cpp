// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/masks/HeadMask.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <regex>

#include "core/base/Text.h"
#include "core/base/Translation.h"

namespace headlight {

bool HeadMask::operator==(const HeadMask& other) const {
  if (kind != other.kind || resets != other.resets) return false;
  if (kind == MaskKind::None) return true;
  if (window != other.window) return false;
  if (kind == MaskKind::Soft) return alpha == other.alpha;
  if (kind == MaskKind::Random) return seed == other.seed;
  return true;
}

bool HeadMask::looksLike(const HeadMask& other) const {
  HeadMask same = other;
  same.resets = resets;
  return *this == same;
}

const std::vector<std::string>& maskKindNames() {
  static const std::vector<std::string> names{"none", "hard", "soft", "strict", "random"};
  return names;
}

std::string maskKindName(MaskKind kind) {
  return maskKindNames()[static_cast<std::size_t>(kind)];
}

std::string toText(const HeadMask& mask) {
  const std::string resets = mask.resets > 0 ? "~" + std::to_string(mask.resets) : "";
  if (mask.kind == MaskKind::None) return "none" + resets;
  std::string text = maskKindName(mask.kind) + ":" + std::to_string(mask.window);
  if (mask.kind == MaskKind::Soft) text += "@" + numberText(mask.alpha);
  if (mask.kind == MaskKind::Random) text += "#" + std::to_string(mask.seed);
  return text + resets;
}

Result<HeadMask> headMaskFromText(const std::string& text) {
  static const std::regex form(
      R"((none|hard|soft|strict|random)(?::(\d{1,4}))?(?:@([0-9.eE+-]{1,32}))?(?:#(\d{1,19}))?(?:~(\d{1,9}))?)");
  const auto refuse = [&](const std::string& why) {
    return Error{ErrorCode::InvalidConfig,
                 "\"" + text + tr("\" is not a mask: ") + why +
                     tr(" (examples: none, hard:3, soft:5@0.25, strict:3, random:3#7)"),
                 ""};
  };
  std::smatch match;
  if (text.size() > 100 || !std::regex_match(text, match, form)) return refuse(tr("unknown form"));
  HeadMask mask;
  const auto& names = maskKindNames();
  mask.kind =
      static_cast<MaskKind>(std::find(names.begin(), names.end(), match[1].str()) - names.begin());
  if (match[2].matched) mask.window = std::stoi(match[2]);
  if (mask.window < 1 || mask.window % 2 == 0)
    return refuse(tr("the window must be odd and positive"));
  if (match[3].matched) {
    if (mask.kind != MaskKind::Soft) return refuse(tr("only a soft mask has an α"));
    const std::string digits = match[3];
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), mask.alpha);
    if (parsed.ec != std::errc() || parsed.ptr != digits.data() + digits.size())
      return refuse(tr("α is not a number"));
    if (!(mask.alpha > 0 && mask.alpha < 1)) return refuse(tr("α must lie between 0 and 1"));
  }
  if (match[4].matched) {
    if (mask.kind != MaskKind::Random) return refuse(tr("only a random mask has a seed"));
    mask.seed = std::stoull(match[4]);
  }
  if (match[5].matched) mask.resets = std::stoi(match[5]);
  if (mask.kind == MaskKind::None && match[2].matched) return refuse(tr("none takes no window"));
  return mask;
}

}  // namespace headlight
