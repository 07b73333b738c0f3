// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/imaging/codecs/OptionalFormats.h"

#include <algorithm>
#include <array>

namespace headlight {
namespace {

using namespace std::string_view_literals;

bool isHeifBrand(std::string_view brand) {
  constexpr std::array kBrands{"heic"sv, "heix"sv, "heim"sv, "heis"sv, "hevc"sv, "hevx"sv,
                               "avif"sv, "avis"sv, "mif1"sv, "mif2"sv, "msf1"sv};
  return std::find(kBrands.begin(), kBrands.end(), brand) != kBrands.end();
}

}  // namespace

/// The first box has a size, "ftyp", the main brand, a version and further brands; a video may
/// name some of these among the further ones, so the main one decides.
bool beginsLikeHeif(std::string_view head) {
  if (head.size() < 12 || head[0] != '\0' || head.substr(4, 4) != "ftyp"sv) return false;
  return isHeifBrand(head.substr(8, 4));
}

bool beginsLikeJxl(std::string_view head) {
  return head.starts_with("\xff\x0a"sv) || head.starts_with("\0\0\0\x0cJXL \r\n\x87\n"sv);
}

}  // namespace headlight
