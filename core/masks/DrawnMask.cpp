// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/masks/DrawnMask.h"

#include <algorithm>
#include <numeric>
#include <regex>
#include <string_view>

#include "core/base/Translation.h"

namespace headlight {
namespace {

constexpr std::string_view kDrawnWord = "drawn";
constexpr std::string_view kDigits64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

Error noDrawing(const std::string& why) {
  return {ErrorCode::InvalidConfig, why, ""};
}

std::string sizeText(const DrawnMask& mask) {
  return std::to_string(mask.cols) + " × " + std::to_string(mask.rows);
}

/// Six pixels a digit.
std::string digitsOf(const std::vector<std::uint8_t>& ones) {
  std::string text;
  for (std::size_t first = 0; first < ones.size(); first += 6) {
    unsigned value = 0;
    for (std::size_t i = first; i < first + 6; ++i)
      value = value * 2 + (i < ones.size() && ones[i] != 0 ? 1 : 0);
    text += kDigits64[value];
  }
  return text;
}

/// False where a letter is no digit or a bit beyond the last pixel is set.
bool readDigits(std::string_view digits, std::vector<std::uint8_t>& ones) {
  for (std::size_t d = 0; d < digits.size(); ++d) {
    const auto value = kDigits64.find(digits[d]);
    if (value == std::string_view::npos) return false;
    for (std::size_t bit = 0; bit < 6; ++bit) {
      const bool one = (value >> (5 - bit) & 1) != 0;
      if (d * 6 + bit < ones.size())
        ones[d * 6 + bit] = one;
      else if (one)
        return false;
    }
  }
  return true;
}

}  // namespace

std::int64_t DrawnMask::count() const {
  return std::accumulate(ones.begin(), ones.end(), std::int64_t{0});
}

const std::vector<std::string>& drawnFormNames() {
  static const std::vector<std::string> names{"offsets", "keys", "pairs"};
  return names;
}

Result<void> checkDrawn(const DrawnMask& mask) {
  if (mask.rows < 1 || mask.cols < 1 || mask.rows > kMaxDrawnSide || mask.cols > kMaxDrawnSide ||
      std::int64_t{mask.rows} * mask.cols > kMaxDrawnPixels)
    return noDrawing(tr("a drawn mask cannot have ") + sizeText(mask) +
                     tr(" pixels; at most 4096 a side and 4194304 in all"));
  if (mask.form == DrawnForm::Offsets && (mask.rows % 2 == 0 || mask.cols % 2 == 0))
    return noDrawing(tr("a mask drawn by offsets has an odd width and height, with the query in "
                        "the middle, and not ") +
                     sizeText(mask));
  if (mask.ones.size() != static_cast<std::size_t>(mask.rows) * mask.cols)
    return noDrawing(tr("a drawn mask of ") + sizeText(mask) + tr(" pixels has another number"));
  if (mask.count() == 0)
    return noDrawing(tr("a drawn mask is empty: it selects no key; draw at least one"));
  return {};
}

std::string drawnText(const DrawnMask& mask) {
  return std::string(kDrawnWord) + drawnFormNames()[static_cast<std::size_t>(mask.form)] +
         std::to_string(mask.rows) + "x" + std::to_string(mask.cols) + "=" + digitsOf(mask.ones);
}

Result<DrawnMask> drawnFromText(const std::string& text) {
  static const std::regex head(R"(drawn(offsets|keys|pairs)(\d{1,4})x(\d{1,4}))");
  const auto equals = text.find('=');
  std::smatch match;
  const std::string begin = text.substr(0, equals);
  if (equals == std::string::npos || begin.size() > 40 || !std::regex_match(begin, match, head))
    return noDrawing(
        tr("a drawn mask reads drawnoffsets, drawnkeys or drawnpairs, its rows, x, "
           "its columns, =, its pixels; import a PNG to get one"));
  const auto& names = drawnFormNames();
  DrawnMask mask;
  mask.form =
      static_cast<DrawnForm>(std::find(names.begin(), names.end(), match[1].str()) - names.begin());
  mask.rows = std::stoi(match[2]);
  mask.cols = std::stoi(match[3]);
  const std::int64_t pixels = std::int64_t{mask.rows} * mask.cols;
  const std::string_view digits = std::string_view(text).substr(equals + 1);
  // Before anything of that size is made.
  if (pixels <= kMaxDrawnPixels && digits.size() != static_cast<std::size_t>((pixels + 5) / 6))
    return noDrawing(tr("a drawn mask of ") + sizeText(mask) + tr(" pixels has another number"));
  if (pixels <= kMaxDrawnPixels) mask.ones.assign(static_cast<std::size_t>(pixels), 0);
  if (!readDigits(digits.substr(0, mask.ones.size()), mask.ones))
    return noDrawing(tr("a drawn mask has pixels that cannot be read"));
  if (auto checked = checkDrawn(mask); !checked) return checked.error();
  return mask;
}

}  // namespace headlight
