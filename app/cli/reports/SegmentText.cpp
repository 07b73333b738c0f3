// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/reports/SegmentText.h"

#include <cstdio>

#include "core/base/Translation.h"
#include "core/workbench/session/TrueSegments.h"

namespace headlight::cli {

Json segmentsJson(const FoundSegments& found) {
  Json json = Json::array();
  for (const SegmentClass& segment : found.classes)
    json.push_back({{"label", segment.name},
                    {"index", segment.index},
                    {"share", segment.share},
                    {"probability", segment.probability}});
  return json;
}

Json segmentFileJson(const FoundSegments& found) {
  Json queries = Json::array();
  for (std::size_t q = 0; q < found.queries.size(); ++q) {
    const SegmentQuery& query = found.queries[q];
    queries.push_back({{"query", q},
                       {"label", query.name},
                       {"index", query.index},
                       {"probability", query.probability}});
  }
  return {{"width", found.image.width},
          {"height", found.image.height},
          {"classes", segmentsJson(found)},
          {"queries", queries}};
}

void addTrueSegments(const ClassImage& truth, const FoundSegments& found,
                     const std::vector<std::string>& names, Json& json) {
  const std::vector<float> certain(truth.classes.size(), 1.0f);
  json["truth"] = Json::array();
  for (const SegmentClass& segment : segmentClasses(truth, certain, names))
    json["truth"].push_back(
        {{"label", segment.name}, {"index", segment.index}, {"share", segment.share}});
  json["agreement"] = pixelAgreement(truth, found.image).share();
}

void printAgreement(const ClassImage& truth, const FoundSegments& found, Terminal& terminal) {
  char share[32];
  std::snprintf(share, sizeof share, "%6.1f %%  ",
                100 * pixelAgreement(truth, found.image).share());
  terminal.print(share + std::string(tr("of the pixels with a true class have it")));
}

void printSegments(const std::string& image, const FoundSegments& found, Terminal& terminal) {
  terminal.print(image);
  terminal.print(tr("   share   score  class"));
  for (const SegmentClass& segment : found.classes) {
    char numbers[64];
    std::snprintf(numbers, sizeof numbers, "%6.1f %%  %4.0f %%  %4d  ", 100 * segment.share,
                  100 * segment.probability, segment.index);
    terminal.print(numbers + segment.name);
  }
}

}  // namespace headlight::cli
