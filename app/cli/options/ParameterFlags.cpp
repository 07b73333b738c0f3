// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/options/ParameterFlags.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <tuple>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/models/Registry.h"

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

std::string boundText(double value) {
  char text[40];
  std::snprintf(text, sizeof text, std::abs(value) >= 1e6 ? "%.0f" : "%.9g", value);
  return text;
}

/// "1 to 512; ", "at least 0; "; empty where nothing is worth saying.
std::string rangeHelp(const Parameter& parameter) {
  if (parameter.type == ParameterType::Choice) return parameter.typeText() + "; ";
  if (parameter.type != ParameterType::Integer && parameter.type != ParameterType::Number)
    return "";
  constexpr double kBeyondInterest = 1e9;
  const bool low = std::isfinite(parameter.minimum);
  const bool high = parameter.maximum < kBeyondInterest;
  if (low && high)
    return boundText(parameter.minimum) + " to " + boundText(parameter.maximum) + "; ";
  return low ? tr("at least ") + boundText(parameter.minimum) + "; " : "";
}

/// "Passes over the training split. [1 to 1000000; default 20]"
std::string helpText(const Parameter& parameter) {
  std::string initial = parameter.defaultValue.is_string()
                            ? parameter.defaultValue.get<std::string>()
                            : parameter.defaultValue.dump();
  if (initial.empty()) initial = "empty";
  return translated(parameter.help) + " [" + rangeHelp(parameter) + tr("default ") + initial + "]";
}

/// An option as more than one variant may have it, each with its own meaning.
struct SharedOption {
  std::string name;
  std::vector<std::string> owners;  ///< "window", "lsla"
  std::vector<std::string> formerNames;
  std::string help;  ///< of the only owner
};

std::vector<SharedOption> sharedOptions(const std::vector<Variant>& variants) {
  std::vector<SharedOption> options;
  for (const Variant& variant : variants) {
    if (!variant.options) continue;
    for (const Parameter& parameter : *variant.options) {
      auto known = std::find_if(options.begin(), options.end(),
                                [&](const auto& o) { return o.name == parameter.name; });
      if (known == options.end())
        known = options.insert(
            known, SharedOption{parameter.name, {}, parameter.formerNames, helpText(parameter)});
      known->owners.push_back(variant.name);
    }
  }
  return options;
}

/// "For window, lsla: …": the text of the only owner, or where to read that of each.
std::string sharedHelp(const SharedOption& option, const std::string& listing) {
  return "For " + joined(option.owners) + ": " +
         (option.owners.size() == 1 ? option.help : tr("see headlight-cli summary --") + listing);
}

}  // namespace

ParameterFlags::ParameterFlags()
    : ParameterFlags(experimentSections(),
                     [](Json& json, const std::string& path, const std::string& text) {
                       return overrideParameter(json, path, text, modelCatalog());
                     }) {}

ParameterFlags::ParameterFlags(const std::vector<Section>& sections, Override override)
    : m_sections(sections), m_override(std::move(override)) {}

void ParameterFlags::declareOptions(CLI::App& app) {
  const ModelCatalog& catalog = modelCatalog();
  for (const auto& [section, listing, variants] :
       {std::tuple{"attention", "mechanisms", &catalog.mechanisms},
        std::tuple{"layout", "backbones", &catalog.backbones}})
    for (const SharedOption& option : sharedOptions(*variants)) {
      const std::string path = std::string("model.") + section + ".";
      add(app, path + option.name, sharedHelp(option, listing), "TEXT",
          std::string(tr("Options of the ")) + listing);
      addFormer(app, path, option.formerNames);
    }
}

void ParameterFlags::add(CLI::App& app, const std::string& path, const std::string& help,
                         const std::string& type, const std::string& group) {
  app.add_option_function<std::string>(
         "--" + path, [this, path](const std::string& text) { m_given.emplace_back(path, text); },
         help)
      ->type_name(type)
      ->group(group);
}

void ParameterFlags::addFormer(CLI::App& app, const std::string& prefix,
                               const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (!app.get_option_no_throw("--" + prefix + name)) add(app, prefix + name, "", "", "");
}

void ParameterFlags::declareSection(CLI::App& app, const Section& section,
                                    const std::string& group) {
  for (const auto& parameter : *section.table) {
    const std::string path =
        section.key.empty() ? parameter.name : section.key + "." + parameter.name;
    if (!app.get_option_no_throw("--" + path))
      add(app, path, helpText(parameter), typeWord(parameter), group);
    addFormer(app, section.key.empty() ? "" : section.key + ".", parameter.formerNames);
  }
}

void ParameterFlags::declare(CLI::App& app, const std::vector<std::string>& sectionKeys) {
  const bool ofExperiments = &m_sections == &experimentSections();
  for (const auto& section : m_sections) {
    if (std::find(sectionKeys.begin(), sectionKeys.end(), section.key) == sectionKeys.end())
      continue;
    declareSection(app, section, section.title);
    if (ofExperiments && section.key == "model") declareOptions(app);
  }
}

void ParameterFlags::declareRest(CLI::App& app, const std::vector<std::string>& sectionKeys,
                                 const std::string& group) {
  for (const auto& section : m_sections)
    if (std::find(sectionKeys.begin(), sectionKeys.end(), section.key) != sectionKeys.end())
      declareSection(app, section, group + ", " + section.title);
}

bool ParameterFlags::given(const std::string& path) const {
  return std::any_of(m_given.begin(), m_given.end(),
                     [&](const auto& item) { return item.first == path; });
}

void ParameterFlags::applyAs(const ParameterFlags& other, Json& json) const {
  for (const auto& [path, text] : m_given)
    valueOrThrow(other.m_override(json, path, text));
}

}  // namespace headlight::cli
