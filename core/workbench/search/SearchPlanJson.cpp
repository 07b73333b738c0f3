// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/search/SearchPlanJson.h"

#include "core/base/Translation.h"
#include "core/models/Registry.h"
#include "core/workbench/training/ExperimentPaths.h"

namespace headlight {
namespace {

/// As this version writes it: under the present names, with options that are younger than the plan
/// at their defaults. What cannot be read stays as it is.
Json presentPlan(const Json& recorded) {
  if (!recorded.is_object()) return recorded;
  SearchPlan plan;
  const auto experiment = experimentFromJson(recorded.value("experiment", Json()), modelCatalog());
  const auto options = readParameters(searchParameters(), recorded.value("options", Json()),
                                      &plan.options, "options");
  if (!experiment || !options) return recorded;
  plan.experiment = *experiment;
  return searchPlanJson(plan);
}

}  // namespace

SearchPlan checkedSearchPlan(SearchPlan plan) {
  for (const Parameter& parameter : searchParameters())
    valueOrThrow(
        checkParameter(parameter, parameter.get(&plan.options), "search." + parameter.name));
  if (!plan.experiment.edits.empty())
    throw Failure({ErrorCode::InvalidArgument,
                   tr("has mask edits at steps; a search sets the masks itself"), "edits"});
  makePathsAbsolute(plan.experiment);
  return plan;
}

Json searchPlanJson(const SearchPlan& checked) {
  Json experiment = experimentToJson(checked.experiment);
  for (const char* free : {"name", "device", "threads"})
    experiment.erase(free);
  return {{"options", writeParameters(searchParameters(), &checked.options)},
          {"experiment", experiment}};
}

std::optional<std::string> searchDifference(const SearchPlan& checked, const Json& recorded) {
  const Json difference = Json::diff(presentPlan(recorded), presentPlan(searchPlanJson(checked)));
  if (difference.empty()) return std::nullopt;
  return difference[0]["path"].get<std::string>();
}

}  // namespace headlight
