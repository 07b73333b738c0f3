// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/Parameter.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/config/ConfigText.h"
#include "core/config/Reading.h"

namespace headlight {
namespace {

/// "1000000", not "1e+06": the end of a range is read, and counted, by people.
std::string endText(double value) {
  constexpr double kWhole = 1e12;
  if (value == std::floor(value) && std::abs(value) < kWhole)
    return std::to_string(static_cast<std::int64_t>(value));
  return numberText(value);
}

std::string rangeText(const Parameter& parameter) {
  const bool low = std::isfinite(parameter.minimum), high = std::isfinite(parameter.maximum);
  if (low && high) return ", " + endText(parameter.minimum) + " to " + endText(parameter.maximum);
  if (low) return ", at least " + endText(parameter.minimum);
  if (high) return ", at most " + endText(parameter.maximum);
  return "";
}

bool inRange(const Parameter& parameter, double value) {
  return std::isfinite(value) && value >= parameter.minimum && value <= parameter.maximum;
}

bool isWhole(const Json& value) {
  if (value.is_number_integer()) return true;
  return value.is_number_float() && std::abs(value.get<double>()) < 9e15 &&
         value.get<double>() == std::floor(value.get<double>());
}

bool hasType(const Parameter& parameter, const Json& value) {
  switch (parameter.type) {
    case ParameterType::Bool:
      return value.is_boolean();
    case ParameterType::Integer:
      return isWhole(value);
    case ParameterType::Number:
      return value.is_number();
    case ParameterType::Text:
    case ParameterType::Choice:
      return value.is_string();
    case ParameterType::NumberList:
      return value.is_array() && std::all_of(value.begin(), value.end(),
                                             [](const Json& item) { return item.is_number(); });
    case ParameterType::IntegerList:
      return value.is_array() && std::all_of(value.begin(), value.end(), isWhole);
  }
  return false;
}

/// The parameter's own check, its error with `path`.
Result<void> checkSpelling(const Parameter& parameter, const std::string& text,
                           const std::string& path) {
  if (!parameter.check) return {};
  auto checked = parameter.check(text);
  return checked ? checked : Result<void>(invalidConfig(checked.error().message, path));
}

/// The value of a parameter in an object, under its name or a former one; null where it has none.
const Json* valueIn(const Json& object, const Parameter& parameter) {
  if (!object.is_object()) return nullptr;
  for (const auto& [key, value] : object.items())
    if (parameter.isNamed(key)) return &value;
  return nullptr;
}

/// Ok if every key of `object` is in the table or `alsoAllowed` and has its type and range.
Result<void> checkKeys(const ParameterTable& table, const Json& object, const std::string& path,
                       const std::vector<std::string>& alsoAllowed);

std::size_t editDistance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

std::string Parameter::typeText() const {
  switch (type) {
    case ParameterType::Bool:
      return "true or false";
    case ParameterType::Integer:
      return "whole number" + rangeText(*this);
    case ParameterType::Number:
      return "number" + rangeText(*this);
    case ParameterType::Text:
      return "text";
    case ParameterType::Choice:
      return "one of: " + joined(choices);
    case ParameterType::NumberList:
      return std::to_string(listLength) + " numbers" + rangeText(*this);
    case ParameterType::IntegerList:
      return "at most " + std::to_string(kMaxListLength) + " whole numbers" + rangeText(*this);
  }
  return "";
}

bool Parameter::isNamed(const std::string& text) const {
  return text == name ||
         std::find(formerNames.begin(), formerNames.end(), text) != formerNames.end();
}

void Parameter::assign(Json& object, Json value) const {
  for (const auto& former : formerNames)
    object.erase(former);
  object[name] = std::move(value);
}

Json Parameter::present(const Json& value) const {
  for (const auto& [before, now] : formerChoices)
    if (value == before) return now;
  return value;
}

const Parameter* findParameter(const ParameterTable& table, const std::string& name) {
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const Parameter& p) { return p.isNamed(name); });
  return found == table.end() ? nullptr : &*found;
}

Result<void> checkParameter(const Parameter& parameter, const Json& value,
                            const std::string& path) {
  const auto refuse = [&] {
    std::string shown = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (shown.size() > 80) shown = shown.substr(0, 80) + "…";
    return invalidConfig(tr("must be ") + parameter.typeText() + ", not " + shown, path);
  };
  if (!hasType(parameter, value)) return refuse();
  switch (parameter.type) {
    case ParameterType::Integer:
    case ParameterType::Number:
      if (!inRange(parameter, value.get<double>())) return refuse();
      break;
    case ParameterType::Choice:
      if (std::find(parameter.choices.begin(), parameter.choices.end(),
                    parameter.present(value).get<std::string>()) == parameter.choices.end())
        return refuse();
      break;
    case ParameterType::NumberList:
      if (value.size() != parameter.listLength) return refuse();
      for (const auto& item : value)
        if (!inRange(parameter, item.get<double>())) return refuse();
      break;
    case ParameterType::IntegerList:
      if (value.size() > kMaxListLength) return refuse();
      for (const auto& item : value)
        if (!inRange(parameter, item.get<double>())) return refuse();
      break;
    case ParameterType::Text:
      return checkSpelling(parameter, value.get<std::string>(), path);
    case ParameterType::Bool:
      break;
  }
  return {};
}

namespace {

Result<void> checkKeys(const ParameterTable& table, const Json& object, const std::string& path,
                       const std::vector<std::string>& alsoAllowed) {
  if (!object.is_object())
    return invalidConfig(tr("must be an object in braces"), path.empty() ? "$" : path);
  for (const auto& [key, value] : object.items()) {
    const std::string keyPath = path.empty() ? key : path + "." + key;
    const Parameter* parameter = findParameter(table, key);
    if (parameter) {
      if (key != parameter->name && object.contains(parameter->name))
        return invalidConfig(tr("is the former name of \"") + parameter->name +
                                 tr("\", which is given too; leave one out"),
                             keyPath);
      if (auto checked = checkParameter(*parameter, value, keyPath); !checked) return checked;
      continue;
    }
    if (std::find(alsoAllowed.begin(), alsoAllowed.end(), key) != alsoAllowed.end()) continue;
    std::vector<std::string> names = alsoAllowed;
    for (const auto& known : table)
      names.push_back(known.name);
    const std::string close = closestName(key, names);
    if (names.empty())
      return invalidConfig(tr("is not a known key; no keys are allowed here"), keyPath);
    return invalidConfig(close.empty() ? tr("is not a known key; known are: ") + joined(names)
                                       : tr("is not a known key; did you mean \"") + close + "\"?",
                         keyPath);
  }
  return {};
}

}  // namespace

Result<void> readParameters(const ParameterTable& table, const Json& object, void* target,
                            const std::string& path, const std::vector<std::string>& alsoAllowed) {
  if (auto checked = checkKeys(table, object, path, alsoAllowed); !checked) return checked;
  for (const auto& [key, value] : object.items())
    if (const Parameter* parameter = findParameter(table, key))
      parameter->set(target, parameter->present(value));
  return {};
}

Result<Json> readOptions(const ParameterTable& table, const Json& given, const Json& base,
                         const std::string& path) {
  if (auto checked = checkKeys(table, given, path, {}); !checked) return checked.error();
  Json options = Json::object();
  for (const auto& parameter : table)
    if (const Json* value = valueIn(given, parameter))
      options[parameter.name] = parameter.present(*value);
    else if (const Json* inherited = valueIn(base, parameter))
      options[parameter.name] = parameter.present(*inherited);
  return options;
}

Json completeOptions(const ParameterTable& table, const Json& options) {
  Json complete = Json::object();
  for (const auto& parameter : table) {
    const Json* value = valueIn(options, parameter);
    complete[parameter.name] = value ? parameter.present(*value) : parameter.defaultValue;
  }
  return complete;
}

namespace {

Json firstCalled(const Parameter& parameter, const Json& value) {
  for (const auto& [before, now] : parameter.formerChoices)
    if (value == now) return before;
  return value;
}

}  // namespace

Json firstNamed(const ParameterTable& table, const Json& options) {
  Json named = Json::object();
  for (const auto& [key, value] : options.items()) {
    const Parameter* parameter = findParameter(table, key);
    named[parameter && !parameter->formerNames.empty() ? parameter->formerNames.front() : key] =
        parameter ? firstCalled(*parameter, value) : value;
  }
  return named;
}

Json writeParameters(const ParameterTable& table, const void* target) {
  Json object = Json::object();
  for (const auto& parameter : table)
    object[parameter.name] = parameter.get(target);
  return object;
}

Result<Json> parameterFromText(const Parameter& parameter, const std::string& text,
                               const std::string& path) {
  Json value;
  if (parameter.type == ParameterType::Text || parameter.type == ParameterType::Choice) {
    value = text;
  } else if (parameter.type == ParameterType::NumberList ||
             parameter.type == ParameterType::IntegerList) {
    value = Json::array();
    std::stringstream stream(text);
    for (std::string item; std::getline(stream, item, ',');)
      value.push_back(jsonOrDiscarded(item));
  } else if (parameter.type == ParameterType::Bool &&
             (text == "yes" || text == "on" || text == "1")) {
    value = true;
  } else if (parameter.type == ParameterType::Bool &&
             (text == "no" || text == "off" || text == "0")) {
    value = false;
  } else {
    value = jsonOrDiscarded(text);
  }
  if (value.is_discarded()) value = text;  // the check below says what was expected
  if (auto checked = checkParameter(parameter, value, path); !checked) return checked.error();
  return parameter.present(value);
}

std::string closestName(const std::string& name, const std::vector<std::string>& names) {
  std::string best;
  std::size_t bestDistance = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const auto& candidate : names) {
    const std::size_t distance = editDistance(name.substr(0, 100), candidate);
    if (distance < bestDistance) {
      bestDistance = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace headlight
