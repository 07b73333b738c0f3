// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/attribution/DepthPlot.h"

#include <QCoreApplication>

#include <algorithm>

#include "ui/bridge/ExplanationBridge.h"
#include "ui/plots/RunCurvesPlot.h"

namespace headlight {
namespace {

QString depthText(const char* text) {
  return QCoreApplication::translate("DepthPlot", text);
}

/// Those of both sides, in one order, so that a class has one colour.
std::vector<int> classesOf(const DepthPrediction& depth, int asked,
                           const ExplanationBridge* beside) {
  std::vector<int> classes = depthClasses(depth, asked);
  const auto other = beside ? beside->result() : nullptr;
  if (!beside || !other || !other->depth) return classes;
  const std::vector<int> more = depthClasses(*other->depth, asked);
  classes.insert(classes.end(), more.begin(), more.end());
  std::sort(classes.begin(), classes.end());
  classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
  return classes;
}

}  // namespace

void showDepth(RunCurvesPlot& plot, const Document& document, const ExplanationBridge& bridge,
               const ExplanationBridge* beside) {
  const auto result = bridge.result();
  std::vector<NamedCurve> lines;
  QString note = result ? result->error : depthText("Asking every layer…");
  if (result && result->depth) {
    for (const PlottedCurve& curve :
         depthCurves(*result->depth, document.model(),
                     classesOf(*result->depth, document.view().way.classIndex, beside)))
      lines.push_back({curve.name, {curve.keys, curve.values, {}}});
    note = QString::fromStdString(result->depth->note);
  }
  plot.setWhole(0, 1);
  plot.setLines(lines, depthText("probability"), depthText("after layer"), note);
}

}  // namespace headlight
