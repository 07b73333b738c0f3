// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/foreign/ConfigValues.h"

#include <algorithm>

#include "core/base/Translation.h"

namespace headlight {
namespace {

constexpr std::size_t kMostNumbers = 16;

bool isWhole(const Json& value, int least, int most) {
  return value.is_number_integer() && value >= least && value <= most;
}

}  // namespace

ConfigValues::ConfigValues(const Json& json, std::string where)
    : m_json(json.is_object() ? json : Json::object()), m_where(std::move(where)) {}

const Json* ConfigValues::find(const char* key) const {
  const auto found = m_json.find(key);
  return found == m_json.end() || found->is_null() ? nullptr : &*found;
}

void ConfigValues::fail(const char* key, const std::string& why) const {
  throw Failure({ErrorCode::InvalidConfig, why, m_where + ": " + key});
}

void ConfigValues::refuse(const char* key, const std::string& why) const {
  throw Failure({ErrorCode::UnsupportedFile, why, m_where + ": " + key});
}

bool ConfigValues::has(const char* key) const {
  return find(key) != nullptr;
}

int ConfigValues::whole(const char* key, int otherwise, int least, int most) const {
  const Json* value = find(key);
  if (!value) return otherwise;
  if (!isWhole(*value, least, most))
    fail(key, tr("must be a whole number from ") + std::to_string(least) + tr(" to ") +
                  std::to_string(most));
  return value->get<int>();
}

double ConfigValues::number(const char* key, double otherwise) const {
  const Json* value = find(key);
  if (!value) return otherwise;
  if (!value->is_number()) fail(key, tr("must be a number"));
  return value->get<double>();
}

bool ConfigValues::flag(const char* key, bool otherwise) const {
  const Json* value = find(key);
  if (!value) return otherwise;
  if (!value->is_boolean()) fail(key, tr("must be true or false"));
  return value->get<bool>();
}

std::string ConfigValues::text(const char* key, const std::string& otherwise) const {
  const Json* value = find(key);
  if (!value) return otherwise;
  if (!value->is_string()) fail(key, tr("must be text"));
  return value->get<std::string>();
}

std::pair<int, int> ConfigValues::size(const char* key, std::pair<int, int> otherwise) const {
  constexpr int kMostPixels = 4096;
  const Json* value = find(key);
  if (!value) return otherwise;
  const Json pair = value->is_array() ? *value : Json::array({*value, *value});
  if (pair.size() != 2 || !isWhole(pair[0], 1, kMostPixels) || !isWhole(pair[1], 1, kMostPixels))
    fail(key, tr("must be one number or two, of at most 4096"));
  return {pair[0].get<int>(), pair[1].get<int>()};
}

std::vector<int> ConfigValues::wholes(const char* key, const std::vector<int>& otherwise,
                                      int least) const {
  const Json* value = find(key);
  if (!value) return otherwise;
  const bool numbers = value->is_array() && !value->empty() && value->size() <= kMostNumbers &&
                       std::all_of(value->begin(), value->end(), [&](const Json& number) {
                         return isWhole(number, least, 1 << 20);
                       });
  if (!numbers) fail(key, tr("must be a list of at most 16 whole numbers"));
  return value->get<std::vector<int>>();
}

std::vector<double> ConfigValues::three(const char* key,
                                        const std::vector<double>& otherwise) const {
  const Json* value = find(key);
  if (!value) return otherwise;
  const Json list = value->is_number() ? Json{*value} : *value;
  const bool numbers =
      list.is_array() && (list.size() == 3 || list.size() == 1) &&
      std::all_of(list.begin(), list.end(), [](const Json& n) { return n.is_number(); });
  if (!numbers) fail(key, tr("must be three numbers, or one for all colors"));
  const auto given = list.get<std::vector<double>>();
  return given.size() == 3 ? given : std::vector<double>(3, given[0]);
}

ConfigValues ConfigValues::part(const char* key) const {
  const Json* value = find(key);
  return {value ? *value : Json::object(), m_where + ": " + key};
}

void ConfigValues::requireFlag(const char* key, bool expected) const {
  if (flag(key, expected) != expected)
    refuse(key, expected ? tr("false is not supported; this model cannot be opened")
                         : tr("true is not supported; this model cannot be opened"));
}

}  // namespace headlight
