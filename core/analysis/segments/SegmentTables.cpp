// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/segments/SegmentTables.h"

#include "core/base/Text.h"

namespace headlight {
namespace {

Json shareJson(const std::optional<double>& share) {
  return share ? Json(*share) : Json(nullptr);
}

Json meanJson(double mean) {
  return mean == kNoSegmentNumber ? Json(nullptr) : Json(mean);
}

std::string shareText(const std::optional<double>& share) {
  return share ? numberText(*share) : "";
}

}  // namespace

Json segmentJson(const SegmentMeasures& measures, const std::vector<std::string>& names) {
  Json classes = Json::array();
  for (std::size_t k = 0; k < measures.iou.size(); ++k) {
    classes.push_back({{"name", names.at(k)},
                       {"iou", shareJson(measures.iou[k])},
                       {"accuracy", shareJson(measures.accuracy[k])},
                       {"pixels", measures.truth[k]},
                       {"predicted", measures.predicted[k]}});
  }
  return {{"miou", meanJson(measures.miou)},
          {"macc", meanJson(measures.macc)},
          {"pacc", meanJson(measures.pacc)},
          {"pixels", measures.pixels},
          {"classes", std::move(classes)}};
}

std::string segmentCsv(const SegmentMeasures& measures, const std::vector<std::string>& names) {
  std::string text = "class,iou,accuracy,pixels,predicted\n";
  for (std::size_t k = 0; k < measures.iou.size(); ++k)
    text += csvQuoted(names.at(k)) + "," + shareText(measures.iou[k]) + "," +
            shareText(measures.accuracy[k]) + "," + std::to_string(measures.truth[k]) + "," +
            std::to_string(measures.predicted[k]) + "\n";
  return text;
}

}  // namespace headlight
