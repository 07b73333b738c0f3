// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/masks/HeadMask.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <regex>

#include "core/base/Text.h"
#include "core/base/Translation.h"

namespace headlight {
namespace {

constexpr std::size_t kLongestMask = 100, kMostGlobal = 64;

/// A text without the pixels of a drawing, which are too many for a pattern, and these.
struct MaskWords {
  std::string text, drawing;
};

MaskWords maskWords(const std::string& text) {
  const auto begin = text.find(":drawn");
  if (begin == std::string::npos) return {text, ""};
  const auto end = text.find_first_of("@#~+", begin);
  const std::size_t from = begin + 1, to = end == std::string::npos ? text.size() : end;
  return {text.substr(0, from) + "drawn" + text.substr(to), text.substr(from, to - from)};
}

template <typename Number>
bool readWhole(const std::string& digits, Number& number) {
  const char *begin = digits.data(), *end = begin + digits.size();
  const auto read = std::from_chars(begin, end, number);
  return read.ec == std::errc() && read.ptr == end;
}

Error noMask(const std::string& text, const std::string& why) {
  const std::string shown =
      text.size() > kLongestMask ? text.substr(0, kLongestMask - 20) + "…" : text;
  return {ErrorCode::InvalidConfig,
          "\"" + shown + tr("\" is not a mask: ") + why +
              tr(" (examples: none, hard:3, soft:5@0.25, strict:3, random:3#7, decay:0.9, "
                 "strict:natten7d2, hard:48px, hard:3+0.0)"),
          ""};
}

/// "+0.0+6.6".
std::vector<GlobalPatch> globalFromText(const std::string& text) {
  std::vector<GlobalPatch> global;
  for (std::size_t at = 0; at < text.size();) {
    const auto dot = text.find('.', at);
    const auto next = std::min(text.find('+', dot), text.size());
    global.push_back({std::stoi(text.substr(at + 1, dot - at - 1)),
                      std::stoi(text.substr(dot + 1, next - dot - 1))});
    at = next;
  }
  return global;
}

/// Why `mask` cannot be so; empty where it can.
std::string whyNoRegion(const HeadMask& mask) {
  const MaskRegion& region = mask.region;
  if (mask.kind == MaskKind::None) return tr("none takes no window");
  if (mask.kind == MaskKind::Random && !region.isPlain())
    return tr("a random mask has a plain window");
  if (region.global.size() > kMostGlobal) return tr("at most 64 patches can be global");
  if (region.kind == RegionKind::Drawn) return "";
  if (mask.window < 1 || (mask.window % 2 == 0 && !region.inPixels))
    return tr("the window must be odd and positive");
  if (region.kind == RegionKind::Square && (region.dilation != 1 || region.stride != 1))
    return tr("only a natten window has a dilation and a stride");
  if (region.dilation < 1) return tr("the dilation must be at least 1");
  if (region.stride < 1) return tr("the stride must be at least 1");
  if (region.stride > mask.window && !region.inPixels)
    return tr("the stride cannot be larger than the window");
  return "";
}

std::string regionText(const HeadMask& mask) {
  const MaskRegion& region = mask.region;
  std::string text;
  if (region.kind == RegionKind::Drawn)
    text = region.drawn ? drawnText(*region.drawn) : "drawn";
  else
    text = (region.kind == RegionKind::Natten ? "natten" : "") + std::to_string(mask.window);
  if (region.kind != RegionKind::Drawn && region.inPixels) text += "px";
  if (region.dilation != 1) text += "d" + std::to_string(region.dilation);
  if (region.stride != 1) text += "s" + std::to_string(region.stride);
  for (const GlobalPatch& patch : region.global)
    text += "+" + std::to_string(patch.row) + "." + std::to_string(patch.col);
  return text;
}

std::string resetsText(const HeadMask& mask) {
  return mask.resets > 0 ? "~" + std::to_string(mask.resets) : "";
}

}  // namespace

bool MaskRegion::operator==(const MaskRegion& other) const {
  if (kind != other.kind || global != other.global) return false;
  if (kind != RegionKind::Drawn)
    return inPixels == other.inPixels && dilation == other.dilation && stride == other.stride;
  return drawn == other.drawn || (drawn && other.drawn && *drawn == *other.drawn);
}

bool HeadMask::operator==(const HeadMask& other) const {
  if (kind != other.kind || resets != other.resets) return false;
  if (kind == MaskKind::None) return true;
  if (kind == MaskKind::Decay) return gamma == other.gamma;
  if (!(region == other.region)) return false;
  if (region.kind != RegionKind::Drawn && window != other.window) return false;
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
  static const std::vector<std::string> names{"none", "hard", "soft", "strict", "random", "decay"};
  return names;
}

std::string maskKindName(MaskKind kind) {
  return maskKindNames()[static_cast<std::size_t>(kind)];
}

std::string toText(const HeadMask& mask) {
  if (mask.kind == MaskKind::None) return "none" + resetsText(mask);
  if (mask.kind == MaskKind::Decay) return "decay:" + numberText(mask.gamma) + resetsText(mask);
  std::string text = maskKindName(mask.kind) + ":" + regionText(mask);
  if (mask.kind == MaskKind::Soft) text += "@" + numberText(mask.alpha);
  if (mask.kind == MaskKind::Random) text += "#" + std::to_string(mask.seed);
  return text + resetsText(mask);
}

std::string shortText(const HeadMask& mask) {
  if (mask.region.kind != RegionKind::Drawn || !mask.region.drawn || mask.kind == MaskKind::None ||
      mask.kind == MaskKind::Decay)
    return toText(mask);
  const DrawnMask& drawn = *mask.region.drawn;
  return maskKindName(mask.kind) + tr(": drawn, ") + std::to_string(drawn.rows) + " x " +
         std::to_string(drawn.cols) + " " + drawnFormNames()[static_cast<std::size_t>(drawn.form)];
}

namespace {

Result<HeadMask> decayFromText(const std::string& text) {
  static const std::regex form(R"(decay(?::([0-9.eE+-]{1,32}))?(?:~(\d{1,9}))?)");
  std::smatch match;
  if (text.size() > kLongestMask || !std::regex_match(text, match, form))
    return noMask(text, tr("a decay takes one number, γ, such as decay:0.9"));
  HeadMask mask;
  mask.kind = MaskKind::Decay;
  if (match[1].matched && !readWhole(match[1].str(), mask.gamma))
    return noMask(text, tr("γ is not a number"));
  if (!(mask.gamma > 0 && mask.gamma <= 1))
    return noMask(text, tr("γ must be more than 0 and at most 1"));
  if (match[2].matched) mask.resets = std::stoi(match[2]);
  return mask;
}

/// What stands after the colon: the window, or a drawing.
std::string readRegion(const std::smatch& match, const std::string& drawing, HeadMask& mask) {
  if (match[2].matched) mask.region.kind = RegionKind::Natten;
  if (match[3].matched) mask.window = std::stoi(match[3]);
  mask.region.inPixels = match[4].matched;
  if (match[5].matched) mask.region.dilation = std::stoi(match[5]);
  if (match[6].matched) mask.region.stride = std::stoi(match[6]);
  if (match[8].length() > 0) mask.region.global = globalFromText(match[8]);
  if (!match[7].matched) return "";
  auto drawn = drawnFromText(drawing);
  if (!drawn) return drawn.error().message;
  mask.region.kind = RegionKind::Drawn;
  mask.region.drawn = std::make_shared<const DrawnMask>(std::move(*drawn));
  return "";
}

/// α and seed, which follow.
std::string readValues(const std::smatch& match, HeadMask& mask) {
  if (match[9].matched) {
    if (mask.kind != MaskKind::Soft) return tr("only a soft mask has an α");
    if (!readWhole(match[9].str(), mask.alpha)) return tr("α is not a number");
    if (!(mask.alpha > 0 && mask.alpha < 1)) return tr("α must lie between 0 and 1");
  }
  if (match[10].matched) {
    if (mask.kind != MaskKind::Random) return tr("only a random mask has a seed");
    mask.seed = std::stoull(match[10]);
  }
  if (match[11].matched) mask.resets = std::stoi(match[11]);
  return "";
}

}  // namespace

Result<HeadMask> headMaskFromText(const std::string& text) {
  static const std::regex form(
      R"((none|hard|soft|strict|random)(?::(?:(natten)?(\d{1,4})(px)?(?:d(\d{1,4}))?(?:s(\d{1,4}))?|(drawn))((?:\+\d{1,4}\.\d{1,4})*))?(?:@([0-9.eE+-]{1,32}))?(?:#(\d{1,19}))?(?:~(\d{1,9}))?)");
  if (text.starts_with("decay")) return decayFromText(text);
  const MaskWords words = maskWords(text);
  std::smatch match;
  if (words.text.size() > 10 * kLongestMask || !std::regex_match(words.text, match, form))
    return noMask(text, tr("unknown form"));
  HeadMask mask;
  const auto& names = maskKindNames();
  mask.kind =
      static_cast<MaskKind>(std::find(names.begin(), names.end(), match[1].str()) - names.begin());
  if (const auto why = readRegion(match, words.drawing, mask); !why.empty())
    return noMask(text, why);
  const bool hasRegion = match[3].matched || match[7].matched;
  if (const auto why = whyNoRegion(mask);
      !why.empty() && (hasRegion || mask.kind != MaskKind::None))
    return noMask(text, why);
  if (const auto why = readValues(match, mask); !why.empty()) return noMask(text, why);
  return mask;
}

}  // namespace headlight
