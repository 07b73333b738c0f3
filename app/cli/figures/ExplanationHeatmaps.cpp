// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/figures/ExplanationHeatmaps.h"

#include "app/cli/terminal/Command.h"

namespace headlight::cli {

Heatmap explanationHeatmap(const HeatmapSubject& subject, const ExplanationInfo& way,
                           const ExplanationOptions& options, std::stop_token stop) {
  if (way.ofClass)
    return valueOrThrow(classHeat(subject.session, subject.picture, subject.masks, way.way, options,
                                  {}, std::move(stop)));
  const TokenFeatures features = valueOrThrow(tokenFeatures(
      subject.session, subject.picture, subject.masks, options.layer, std::move(stop)));
  const int token = queryInLayer(subject.query.token, subject.session.info().grid, features.grid);
  if (token < 0)
    refuseUsage("--query", "that layer has no " + subject.query.text + "; give a patch");
  return valueOrThrow(similarityHeat(features, token));
}

Json heatJson(const Heatmap& heat) {
  Json json{{"title", heatTitle(heat)},
            {"meaning", heatMeaning(heat)},
            {"rows", heat.grid.rows},
            {"cols", heat.grid.cols},
            {"values", heat.values}};
  if (heat.classIndex >= 0)
    json.update(
        {{"class", heat.classIndex}, {"name", heat.className}, {"probability", heat.probability}});
  if (heat.layer >= 0) json["layer"] = heat.layer;
  return json;
}

const ExplanationInfo& heatFromName(const std::string& name) {
  const ExplanationInfo* way = wayFromName(name);
  if (way && way->isHeatmap) return *way;
  std::string names = "attention";
  for (const ExplanationInfo& one : waysOfLooking())
    if (one.isHeatmap) names += ", " + one.name;
  refuseUsage("--show", name + " has no heatmap to compare; give one of " + names +
                            (way ? ", or look at each picture with attend" : ""));
}

}  // namespace headlight::cli
