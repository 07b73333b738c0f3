// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/RunId.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "core/base/Random.h"
#include "core/base/Translation.h"
#include "core/config/Reading.h"

namespace headlight {
namespace {

constexpr std::size_t kMaxIdLength = 64;

Json settingsOf(Json config) {
  if (!config.is_object()) return Json::object();
  config.erase(kRunKey);
  config.erase("edits");
  return config;
}

/// "/training/epochs" as messages name it: "training.epochs".
std::string dotted(std::string pointer) {
  if (!pointer.empty()) pointer.erase(0, 1);
  std::replace(pointer.begin(), pointer.end(), '/', '.');
  return pointer;
}

}  // namespace

std::string makeRunId(const Json& config) {
  const std::uint64_t key =
      mixText(0, settingsOf(config).dump(-1, ' ', false, Json::error_handler_t::replace));
  char digits[32];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(key));
  return digits;
}

std::string writtenRunId(const Json& json) {
  if (!json.is_object()) return "";
  const auto id = json.find(kRunKey);
  return id != json.end() && id->is_string() ? id->get<std::string>() : "";
}

Result<std::string> runIdIn(const Json& config) {
  if (!config.is_object() || !config.contains(kRunKey)) return std::string();
  if (config[kRunKey].is_string()) {
    std::string id = config[kRunKey].get<std::string>();
    const bool plain = std::all_of(id.begin(), id.end(), [](char letter) {
      return ('0' <= letter && letter <= '9') || ('a' <= letter && letter <= 'z');
    });
    if (plain && id.size() <= kMaxIdLength) return id;
  }
  return invalidConfig(
      tr("must be digits and lower-case letters; runs write it themselves, so leave it out"),
      kRunKey);
}

std::vector<ConfigDifference> configDifferences(Json first, Json second) {
  const Json a = settingsOf(std::move(first)).flatten(),
             b = settingsOf(std::move(second)).flatten();
  const auto text = [](const Json& json, const std::string& key) {
    return json.contains(key) ? json[key].dump(-1, ' ', false, Json::error_handler_t::replace)
                              : std::string("nothing");
  };
  std::vector<ConfigDifference> differences;
  const auto compare = [&](const std::string& key) {
    if (text(a, key) != text(b, key))
      differences.push_back({dotted(key), text(a, key), text(b, key)});
  };
  for (const auto& [key, value] : a.items())
    compare(key);
  for (const auto& [key, value] : b.items())
    if (!a.contains(key)) compare(key);
  return differences;
}

}  // namespace headlight
