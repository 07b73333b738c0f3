// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/reports/VariantList.h"

#include "core/base/Translation.h"

namespace headlight::cli {
namespace {

const ParameterTable& optionsOf(const Variant& variant) {
  static const ParameterTable none;
  return variant.options ? *variant.options : none;
}

Json variantJson(const Variant& variant) {
  Json options = Json::array();
  for (const auto& option : optionsOf(variant))
    options.push_back({{"name", option.name},
                       {"type", option.typeText()},
                       {"default", option.defaultValue},
                       {"help", option.help}});
  Json json = {{"name", variant.name}, {"help", variant.help}, {"maskable", variant.maskable}};
  if (variant.comparison) json["comparison"] = true;
  if (!variant.mechanisms.empty()) json["mechanisms"] = variant.mechanisms;
  json["options"] = options;
  return json;
}

void printVariant(const Variant& variant, const std::string& section, Terminal& terminal) {
  terminal.print(variant.name + (variant.maskable ? "" : tr("  (heads cannot be masked)")) +
                 (variant.comparison ? tr("  (for comparison)") : ""));
  terminal.print("  " + translated(variant.help));
  std::string taken;
  for (const auto& mechanism : variant.mechanisms)
    taken += (taken.empty() ? "  takes " : ", ") + mechanism;
  if (!taken.empty()) terminal.print(taken);
  for (const auto& option : optionsOf(variant))
    terminal.print("    --model." + section + "." + option.name + "  " + translated(option.help) +
                   " [" + option.typeText() + tr("; default ") + option.defaultValue.dump() + "]");
}

}  // namespace

void listVariants(const std::vector<Variant>& variants, const std::string& section,
                  Terminal& terminal) {
  Json list = Json::array();
  for (const auto& variant : variants) {
    list.push_back(variantJson(variant));
    if (!terminal.json()) printVariant(variant, section, terminal);
  }
  if (terminal.json()) terminal.printJson(list);
}

}  // namespace headlight::cli
