// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/Clock.h"

#include <array>
#include <cstdio>
#include <ctime>
#include <optional>

namespace headlight {
namespace {

constexpr std::array kMonths{"January", "February", "March",     "April",   "May",      "June",
                             "July",    "August",   "September", "October", "November", "December"};

std::string utcText(const std::tm& day) {
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &day);
  return text;
}

/// Reads "2026-11-02T14:03:22Z"; nothing for any other text.
std::optional<std::time_t> momentOf(const std::string& utc) {
  std::tm day{};
  int end = 0;
  if (std::sscanf(utc.c_str(), "%4d-%2d-%2dT%2d:%2d:%2dZ%n", &day.tm_year, &day.tm_mon,
                  &day.tm_mday, &day.tm_hour, &day.tm_min, &day.tm_sec, &end) != 6)
    return std::nullopt;
  day.tm_year -= 1900;
  day.tm_mon -= 1;
  const std::time_t moment = ::timegm(&day);  // which also makes the 31st of June the 1st of July
  return utcText(day) == utc ? std::optional(moment) : std::nullopt;
}

}  // namespace

std::string utcNow() {
  const std::time_t now = std::time(nullptr);
  std::tm day{};
  ::gmtime_r(&now, &day);
  return utcText(day);
}

bool isUtc(const std::string& text) {
  return momentOf(text).has_value();
}

std::string dateText(const std::string& utc) {
  const auto moment = momentOf(utc);
  std::tm day{};
  if (!moment || !::localtime_r(&*moment, &day)) return utc;
  char text[64];
  std::snprintf(text, sizeof text, "%d %s %d, %02d:%02d", day.tm_mday,
                kMonths[static_cast<std::size_t>(day.tm_mon)], day.tm_year + 1900, day.tm_hour,
                day.tm_min);
  return text;
}

}  // namespace headlight
