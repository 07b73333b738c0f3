// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/reports/FamilyList.h"

#include <cstdio>

#include "core/base/Translation.h"
#include "core/models/Registry.h"
#include "core/workbench/hub/PublishedFamilies.h"

namespace headlight::cli {
namespace {

ModelCost costWithScheme(const PublishedModel& model) {
  MaskConfig masks;
  masks.scheme = model.scheme;
  return modelCost(model.config, masks);
}

void printModel(const PublishedModel& model, const ModelCost& cost, Terminal& terminal) {
  char line[160];
  std::snprintf(line, sizeof line, "  %-44s %9.2f M %10.3f G", model.name.c_str(),
                static_cast<double>(cost.parameters) / 1e6, static_cast<double>(cost.macs) / 1e9);
  terminal.print(line);
}

}  // namespace

void listFamilies(Terminal& terminal) {
  Json list = Json::array();
  for (const PublishedFamily& family : publishedFamilies()) {
    Json models = Json::array();
    const std::string paper = family.paper.empty() ? "" : " (" + translated(family.paper) + ")";
    if (!terminal.json()) terminal.print(translated(family.title) + paper);
    for (const PublishedModel* model : family.models) {
      const ModelCost cost = costWithScheme(*model);
      models.push_back(
          {{"name", model->name}, {"parameters", cost.parameters}, {"macs", cost.macs}});
      if (!terminal.json()) printModel(*model, cost, terminal);
    }
    list.push_back({{"family", family.title}, {"paper", family.paper}, {"models", models}});
  }
  if (terminal.json()) terminal.printJson(list);
}

}  // namespace headlight::cli
