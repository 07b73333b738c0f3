#include "app/cli/ParameterFlags.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace headlight::cli {
namespace {

std::string typeWord(const Parameter& parameter) {
  switch (parameter.type) {
    case ParameterType::Bool:
      return "yes|no";
    case ParameterType::Integer:
      return "INT";
    case ParameterType::Number:
      return "NUM";
    case ParameterType::NumberList:
    case ParameterType::IntegerList:
      return "A,B,..";
    case ParameterType::Choice:
    case ParameterType::Text:
      break;
  }
  return "TEXT";
}

std::string numberText(double value) {
  char text[40];
  std::snprintf(text, sizeof text, std::abs(value) >= 1e6 ? "%.0f" : "%.9g", value);
  return text;
}

/// "1 to 512; ", "at least 0; "; empty where nothing is worth saying.
std::string rangeText(const Parameter& parameter) {
  if (parameter.type == ParameterType::Choice) return parameter.typeText() + "; ";
  if (parameter.type != ParameterType::Integer && parameter.type != ParameterType::Number)
    return "";
  constexpr double kBeyondInterest = 1e9;
  const bool low = std::isfinite(parameter.minimum);
  const bool high = parameter.maximum < kBeyondInterest;
  if (low && high)
    return numberText(parameter.minimum) + " to " + numberText(parameter.maximum) + "; ";
  return low ? "at least " + numberText(parameter.minimum) + "; " : "";
}

/// "Passes over the training split. [1 to 1000000; default 20]"
std::string helpText(const Parameter& parameter) {
  std::string initial = parameter.defaultValue.is_string()
                            ? parameter.defaultValue.get<std::string>()
                            : parameter.defaultValue.dump();
  if (initial.empty()) initial = "empty";
  return parameter.help + " [" + rangeText(parameter) + "default " + initial + "]";
}

}  // namespace

void ParameterFlags::declare(CLI::App& app, const std::vector<std::string>& sectionKeys) {
  for (const auto& section : experimentSections()) {
    if (std::find(sectionKeys.begin(), sectionKeys.end(), section.key) == sectionKeys.end())
      continue;
    for (const auto& parameter : *section.table) {
      const std::string path =
          section.key.empty() ? parameter.name : section.key + "." + parameter.name;
      app.add_option_function<std::string>(
             "--" + path,
             [this, path](const std::string& text) { m_given.emplace_back(path, text); },
             helpText(parameter))
          ->type_name(typeWord(parameter))
          ->group(section.title);
    }
  }
}

bool ParameterFlags::given(const std::string& path) const {
  return std::any_of(m_given.begin(), m_given.end(),
                     [&](const auto& item) { return item.first == path; });
}

void ParameterFlags::apply(Json& json) const {
  for (const auto& [path, text] : m_given)
    valueOrThrow(overrideParameter(json, path, text));
}

}  // namespace headlight::cli
