// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/files/PassedOver.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/Text.h"

namespace headlight {
namespace {

constexpr std::size_t kMostKinds = 64;  // beyond them a file counts among the others
constexpr std::size_t kLongestKind = 12;
constexpr std::size_t kNamedKinds = 8;
constexpr const char* kOthers = "others";

/// Images by their names, which are not read here.
bool isUnreadImage(const std::string& kind) {
  using namespace std::string_view_literals;
  static constexpr std::array kKinds{".gif"sv, ".heic"sv, ".heif"sv, ".avif"sv, ".jp2"sv, ".jxl"sv,
                                     ".svg"sv, ".ico"sv,  ".tga"sv,  ".psd"sv,  ".exr"sv, ".hdr"sv,
                                     ".raw"sv, ".dng"sv,  ".cr2"sv,  ".cr3"sv,  ".nef"sv, ".arw"sv,
                                     ".orf"sv, ".rw2"sv,  ".pam"sv,  ".dcm"sv,  ".npy"sv};
  return std::find(kKinds.begin(), kKinds.end(), kind) != kKinds.end();
}

}  // namespace

std::string PassedOver::kindOf(const std::string& name) {
  const std::string kind = lowered(std::filesystem::path(name).extension().string());
  const bool plain = kind.size() > 1 && kind.size() <= kLongestKind &&
                     std::all_of(kind.begin() + 1, kind.end(), [](char c) {
                       return std::isalnum(static_cast<unsigned char>(c)) != 0;
                     });
  return plain ? kind : kOthers;
}

bool PassedOver::isKind(const std::string& kind) {
  return kind == kOthers || kindOf("x" + kind) == kind;
}

void PassedOver::add(const std::string& kind, std::int64_t count) {
  const bool known = m_kinds.count(kind) > 0 || m_kinds.size() < kMostKinds;
  m_kinds[known ? kind : kOthers] += count;
}

std::int64_t PassedOver::count() const {
  std::int64_t all = 0;
  for (const auto& [kind, count] : m_kinds)
    all += count;
  return all;
}

std::string PassedOver::text() const {
  const std::int64_t all = count();
  if (all == 0) return "";
  std::vector<std::pair<std::string, std::int64_t>> kinds(m_kinds.begin(), m_kinds.end());
  std::stable_sort(kinds.begin(), kinds.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> parts;
  for (const auto& [kind, count] : kinds)
    parts.push_back(std::to_string(count) + " " + kind);
  std::string text =
      countText(all, "file is", "files are") + " not read (" + joined(parts, kNamedKinds) + ")";
  if (std::any_of(kinds.begin(), kinds.end(),
                  [](const auto& kind) { return isUnreadImage(kind.first); }))
    text += "; save the images among these files as PNG or JPEG";
  return text;
}

}  // namespace headlight
