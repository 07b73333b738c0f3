// SPDX-License-Identifier: GPL-3.0-or-later

// MechanismPlotPages.h: own images as numbers and as plots.

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

Json plotHeadJson(int head) {
  return head < 0 ? Json(nullptr) : Json(head);
}

}  // namespace

std::vector<PlottedCurve> plotCurves(const MechanismPlot& image, int layer, int head) {
  std::vector<PlottedCurve> curves;
  for (const MechanismPlotCurve& curve : image.curves) {
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

Drawing curvesDrawing(const MechanismPlot& image, int layer, int head) {
  const auto found =
      std::find_if(image.curves.begin(), image.curves.end(),
                   [&](const MechanismPlotCurve& curve) { return curve.layer == layer; });
  std::string axis = "position in the window, row by row";
  if (found != image.curves.end()) axis += " (the query is " + std::to_string(found->query) + ")";
  Drawing drawing =
      drawCurves(plotCurves(image, layer, head),
                 {.quantity = plotPlaceText(layer, head), .axis = axis, .points = true});
  drawing.title = plotTitle(image) + ", " + plotPlaceText(layer, head);
  return drawing;
}

std::string plotCsv(const MechanismPlot& image) {
  if (image.info.kind != MechanismPlotKind::Curves) {
    std::string csv = "layer,head,row,column,value\n";
    for (const MechanismPlotPanel& panel : image.panels)
      csv += panelLines(panel);
    return csv;
  }
  std::string csv = "layer,head,curve,place,value\n";
  for (const MechanismPlotCurve& curve : image.curves)
    for (std::size_t i = 0; i < curve.values.size(); ++i)
      csv += std::to_string(curve.layer) + "," + headText(curve.head) + "," +
             csvQuoted(curve.name) + "," + std::to_string(i) + "," + valueText(curve.values[i]) +
             "\n";
  return csv;
}

std::vector<RawArray> plotArrays(const MechanismPlot& image) {
  std::vector<RawArray> arrays;
  for (const MechanismPlotPanel& panel : image.panels)
    addOwnHead(arrayNamed(arrays, image.info.name + "." + std::to_string(panel.layer),
                          {panel.rows, panel.cols}),
               panel.values);
  for (const MechanismPlotCurve& curve : image.curves)
    addOwnHead(
        arrayNamed(arrays, image.info.name + "." + curve.name + "." + std::to_string(curve.layer),
                   {static_cast<std::int64_t>(curve.values.size())}),
        curve.values);
  return arrays;
}

Json mechanismPlotJson(const MechanismPlot& image) {
  const MechanismPlotInfo& info = image.info;
  Json json{{"name", info.name},
            {"title", plotTitle(image)},
            {"meaning", info.meaning},
            {"source", info.source},
            {"signed", info.isSigned}};
  if (!image.tokenText.empty()) json["query"] = image.tokenText;
  if (!image.note.empty()) json["note"] = image.note;
  for (const MechanismPlotPanel& panel : image.panels)
    json["panels"].push_back({{"layer", panel.layer},
                              {"head", plotHeadJson(panel.head)},
                              {"rows", panel.rows},
                              {"cols", panel.cols},
                              {"values", valuesJson(panel.values)}});
  for (const MechanismPlotCurve& curve : image.curves)
    json["curves"].push_back({{"layer", curve.layer},
                              {"head", plotHeadJson(curve.head)},
                              {"name", curve.name},
                              {"query", curve.query},
                              {"values", valuesJson(curve.values)}});
  return json;
}

}  // namespace headlight
