// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/reports/DiscoveryText.h"

#include <cmath>
#include <cstdio>

#include "core/base/Text.h"
#include "core/base/Translation.h"

namespace headlight::cli {
namespace {

/// Masks as numbers: 0 and 1.
Json maskJson(const std::vector<char>& mask) {
  Json json = Json::array();
  for (const char kept : mask)
    json.push_back(kept ? 1 : 0);
  return json;
}

std::string sidesText(const BoxSides& box) {
  std::string text;
  for (const double side : box)
    addTo(text, std::to_string(std::lround(side)));
  return text;
}

std::string overlapText(double overlap) {
  char text[24];
  std::snprintf(text, sizeof text, "%5.2f  ", overlap);
  return text;
}

Json localizedJson(const LocalizedImage& one) {
  const bool found = one.problem.empty();
  return {
      {"image", one.name},  {"box", found ? Json(one.box) : Json(nullptr)},
      {"iou", one.overlap}, {"mask_iou", one.maskOverlap ? Json(*one.maskOverlap) : Json(nullptr)},
      {"label", one.label}, {"problem", found ? Json(nullptr) : Json(one.problem)}};
}

/// " of boxes and 0.412 of masks"; empty for data with boxes.
std::string maskMeanText(const Localization& localization) {
  if (!localization.meanMaskOverlap) return "";
  char text[48];
  std::snprintf(text, sizeof text, tr(" of boxes and %.3f of masks"),
                *localization.meanMaskOverlap);
  return text;
}

}  // namespace

std::string discoveryTitle(const DiscoveredObject& found, const ObjectOptions& options) {
  const std::string layer = tr(" of layer ") + std::to_string(found.layer);
  const std::string features = options.feature + layer;
  std::string title = options.method == "dino"   ? tr("DINO's attention mask") + layer
                      : options.method == "lost" ? "LOST, " + features
                                                 : "TokenCut, " + features;
  if (!found.note.empty()) title += "; " + found.note;
  return title;
}

Json discoveryJson(const ReportedObject& object) {
  const PatchRegion& region = object.found.region;
  Json heads = Json::array();
  for (const std::vector<char>& head : object.found.heads)
    heads.push_back(maskJson(head));
  Json json{{"image", object.name},
            {"rows", object.found.grid.rows},
            {"cols", object.found.grid.cols},
            {"layer", object.found.layer},
            {"mask", maskJson(region.mask)},
            {"scores", region.scores},
            {"heads", heads},
            {"seed", region.seed},
            {"box", object.pixels},
            {"note", object.found.note}};
  const TrueBoxMatch match = object.match();
  if (match.place < 0) return json;
  json["iou"] = match.overlap;
  json["label"] = objectName(
      object.truth->classNames,
      static_cast<std::size_t>(object.truth->boxes[static_cast<std::size_t>(match.place)].label));
  if (object.mask.label < 0) return json;
  json["mask_iou"] = object.mask.overlap;
  json["mask_label"] =
      objectName(object.truth->classNames, static_cast<std::size_t>(object.mask.label));
  return json;
}

void printDiscovery(const ReportedObject& object, Terminal& terminal) {
  std::string line = object.name + tr("  left, top, right, bottom: ") + sidesText(object.pixels);
  if (object.truth)
    addTo(line, matchText(object.match(), object.truth->boxes, object.truth->classNames), "  ");
  if (object.truth) addTo(line, maskMatchText(object.mask, object.truth->classNames), "  ");
  terminal.print(line);
}

Json localizationJson(const Localization& localization) {
  Json each = Json::array();
  for (const LocalizedImage& one : localization.each)
    each.push_back(localizedJson(one));
  return {{"images", localization.images},
          {"found", localization.found},
          {"corloc", numberOrNull(localization.corLoc())},
          {"low", localization.interval.low},
          {"high", localization.interval.high},
          {"mean_iou", localization.meanOverlap},
          {"mean_mask_iou",
           localization.meanMaskOverlap ? Json(*localization.meanMaskOverlap) : Json(nullptr)},
          {"without_boxes", localization.without},
          {"unread", localization.unread},
          {"each", each}};
}

void printLocalization(const Localization& localization, Terminal& terminal) {
  for (const LocalizedImage& one : localization.each)
    terminal.print(overlapText(one.overlap) +
                   (one.maskOverlap ? overlapText(*one.maskOverlap) : "") + one.name + "  " +
                   (one.problem.empty() ? one.label : one.problem));
  char text[160];
  std::snprintf(text, sizeof text,
                tr("CorLoc %.1f %% (95 %% interval %.1f to %.1f %%), mean IoU %.3f"),
                100 * localization.corLoc(), 100 * localization.interval.low,
                100 * localization.interval.high, localization.meanOverlap);
  terminal.print(text + maskMeanText(localization) + tr(", of ") +
                 countText(localization.images, tr("image"), tr("images")) +
                 (localization.of.empty() ? "" : ", " + localization.of));
}

}  // namespace headlight::cli
