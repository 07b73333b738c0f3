// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/search/SearchPlanJson.h"

#include "core/attention/Mechanisms.h"
#include "core/base/Translation.h"
#include "core/workbench/training/ExperimentPaths.h"

namespace headlight {
namespace {

/// A plan that an earlier version wrote has other names for the same options.
Json firstNamedPlan(const SearchPlan& checked, Json plan) {
  const auto rename = [&](const char* place, const ParameterTable& table) {
    const Json::json_pointer at(place);
    if (plan.contains(at) && plan[at].is_object()) plan[at] = firstNamed(table, plan[at]);
  };
  rename("/options", searchParameters());
  const Variant& mechanism = findMechanism(checked.experiment.model.mechanism).variant;
  if (mechanism.options) rename("/experiment/model/attention", *mechanism.options);
  return plan;
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
  const Json difference = Json::diff(firstNamedPlan(checked, recorded),
                                     firstNamedPlan(checked, searchPlanJson(checked)));
  if (difference.empty()) return std::nullopt;
  return difference[0]["path"].get<std::string>();
}

}  // namespace headlight
