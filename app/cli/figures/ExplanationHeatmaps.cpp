// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/figures/ExplanationHeatmaps.h"

#include <functional>

#include "app/cli/terminal/Command.h"
#include "core/base/Translation.h"

namespace headlight::cli {

Heatmap explanationHeatmap(const HeatmapSubject& subject, const ExplanationInfo& method,
                           const ExplanationOptions& options, std::stop_token stop) {
  if (!method.ofToken)
    return valueOrThrow(imageHeatmap(subject.session, subject.image, subject.masks, method.name,
                                     options, {}, std::move(stop)));
  const TokenFeatures features = valueOrThrow(
      tokenFeatures(subject.session, subject.image, subject.masks, options.layer, std::move(stop)));
  const int token = queryInLayer(subject.query.token, subject.session.info().grid, features.grid);
  if (token < 0)
    refuseUsage("--query", tr("that layer has no ") + subject.query.text + tr("; give a patch"));
  return valueOrThrow(tokenHeatmap(method.name, features, token));
}

std::string classHeatmapNames() {
  return explanationNames(std::mem_fn(&ExplanationInfo::isClassHeatmap));
}

Json heatmapJson(const Heatmap& heatmap) {
  Json json{{"title", heatmapTitle(heatmap)},
            {"meaning", heatmapMeaning(heatmap)},
            {"rows", heatmap.grid.rows},
            {"cols", heatmap.grid.cols},
            {"values", heatmap.values}};
  if (heatmap.classIndex >= 0)
    json.update({{"class", heatmap.classIndex},
                 {"name", heatmap.className},
                 {"probability", heatmap.probability}});
  if (heatmap.layer >= 0) json["layer"] = heatmap.layer;
  if (heatmap.box) json["object_box"] = *heatmap.box;
  return json;
}

const ExplanationInfo& heatmapFromName(const std::string& name) {
  const ExplanationInfo* method = explanationFromName(name);
  if (method && method->isHeatmap()) return *method;
  refuseUsage("--show", name + tr(" has no heatmap to compare; give one of attention, ") +
                            explanationNames(std::mem_fn(&ExplanationInfo::isHeatmap)) +
                            (method ? tr(", or look at each image with attend") : ""));
}

}  // namespace headlight::cli
