// SPDX-License-Identifier: GPL-3.0-or-later

// MechanismPlotPages.h: own pictures as numbers and as plots.

#include <algorithm>
#include <cmath>

#include "core/base/Text.h"
#include "core/workbench/mechanisms/MechanismPlotPages.h"

namespace headlight {
namespace {

std::string headText(int head) {
  return head < 0 ? "" : std::to_string(head);
}

std::string valueText(float value) {
  return std::isnan(value) ? "" : numberText(value);
}

std::string panelLines(const MechanismPlotPanel& panel) {
  std::string csv;
  const std::string start = std::to_string(panel.layer) + "," + headText(panel.head) + ",";
  for (int row = 0; row < panel.rows; ++row)
    for (int col = 0; col < panel.cols; ++col)
      csv += start + std::to_string(row) + "," + std::to_string(col) + "," +
             valueText(panel.values[static_cast<std::size_t>(row) * panel.cols + col]) + "\n";
  return csv;
}

/// The array of this name, made by `shape` where it is new; a further head is one more row.
RawArray& arrayNamed(std::vector<RawArray>& arrays, const std::string& name,
                     const std::vector<std::int64_t>& shape) {
  const auto found = std::find_if(arrays.begin(), arrays.end(),
                                  [&](const RawArray& array) { return array.name == name; });
  if (found != arrays.end()) return *found;
  RawArray array{name, {0}, {}};
  array.shape.insert(array.shape.end(), shape.begin(), shape.end());
  return arrays.emplace_back(std::move(array));
}

void addOwnHead(RawArray& array, const std::vector<float>& values) {
  ++array.shape.front();
  array.values.insert(array.values.end(), values.begin(), values.end());
}

/// NaN, which JSON has not, is null.
Json valuesJson(const std::vector<float>& values) {
  Json list = Json::array();
  for (const float value : values)
    list.push_back(std::isnan(value) ? Json(nullptr) : Json(value));
  return list;
}

Json ownHeadJson(int head) {
  return head < 0 ? Json(nullptr) : Json(head);
}

}  // namespace

std::vector<PlottedCurve> ownCurves(const MechanismPlot& picture, int layer, int head) {
  std::vector<PlottedCurve> curves;
  for (const MechanismPlotCurve& curve : picture.curves) {
    if (curve.layer != layer || (curve.head >= 0 && curve.head != head)) continue;
    PlottedCurve& plotted = curves.emplace_back();
    plotted.name = curve.name;
    for (std::size_t i = 0; i < curve.values.size(); ++i) {
      if (std::isnan(curve.values[i])) continue;
      plotted.keys.push_back(static_cast<double>(i));
      plotted.values.push_back(curve.values[i]);
    }
    // A line would bridge what is not seen.
    plotted.joined = plotted.keys.size() == curve.values.size();
  }
  return curves;
}

Drawing ownPlot(const MechanismPlot& picture, int layer, int head) {
  const auto found =
      std::find_if(picture.curves.begin(), picture.curves.end(),
                   [&](const MechanismPlotCurve& curve) { return curve.layer == layer; });
  std::string axis = "place in the window, row by row";
  if (found != picture.curves.end()) axis += " (the query is " + std::to_string(found->query) + ")";
  Drawing drawing = plotOf(ownCurves(picture, layer, head),
                           {.quantity = ownPlaceText(layer, head), .axis = axis, .points = true});
  drawing.title = ownTitle(picture) + ", " + ownPlaceText(layer, head);
  return drawing;
}

std::string ownCsv(const MechanismPlot& picture) {
  if (picture.info.kind != MechanismPlotKind::Curves) {
    std::string csv = "layer,head,row,column,value\n";
    for (const MechanismPlotPanel& panel : picture.panels)
      csv += panelLines(panel);
    return csv;
  }
  std::string csv = "layer,head,curve,place,value\n";
  for (const MechanismPlotCurve& curve : picture.curves)
    for (std::size_t i = 0; i < curve.values.size(); ++i)
      csv += std::to_string(curve.layer) + "," + headText(curve.head) + "," +
             csvQuoted(curve.name) + "," + std::to_string(i) + "," + valueText(curve.values[i]) +
             "\n";
  return csv;
}

std::vector<RawArray> ownArrays(const MechanismPlot& picture) {
  std::vector<RawArray> arrays;
  for (const MechanismPlotPanel& panel : picture.panels)
    addOwnHead(arrayNamed(arrays, picture.info.name + "." + std::to_string(panel.layer),
                          {panel.rows, panel.cols}),
               panel.values);
  for (const MechanismPlotCurve& curve : picture.curves)
    addOwnHead(
        arrayNamed(arrays, picture.info.name + "." + curve.name + "." + std::to_string(curve.layer),
                   {static_cast<std::int64_t>(curve.values.size())}),
        curve.values);
  return arrays;
}

Json ownJson(const MechanismPlot& picture) {
  const MechanismPlotInfo& info = picture.info;
  Json json{{"name", info.name},
            {"title", ownTitle(picture)},
            {"meaning", info.meaning},
            {"source", info.source},
            {"signed", info.isSigned}};
  if (!picture.tokenText.empty()) json["query"] = picture.tokenText;
  if (!picture.note.empty()) json["note"] = picture.note;
  for (const MechanismPlotPanel& panel : picture.panels)
    json["panels"].push_back({{"layer", panel.layer},
                              {"head", ownHeadJson(panel.head)},
                              {"rows", panel.rows},
                              {"cols", panel.cols},
                              {"values", valuesJson(panel.values)}});
  for (const MechanismPlotCurve& curve : picture.curves)
    json["curves"].push_back({{"layer", curve.layer},
                              {"head", ownHeadJson(curve.head)},
                              {"name", curve.name},
                              {"query", curve.query},
                              {"values", valuesJson(curve.values)}});
  return json;
}

}  // namespace headlight
