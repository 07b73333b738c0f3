// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/attribution/DepthPlot.h"

#include <QCoreApplication>

#include <algorithm>

#include "ui/base/CoreText.h"
#include "ui/bridge/ExplanationBridge.h"
#include "ui/plots/RunCurvesPlot.h"

namespace headlight {
namespace {

/// The classes of both sides in one order, so that each class has one color.
std::vector<int> comparedClasses(const DepthPrediction& depth, int asked,
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
  QString note = result ? result->error : QObject::tr("Computing the logit lens…");
  if (result && result->depth) {
    for (const PlottedCurve& curve : depthCurves(
             *result->depth, document.inputs().model(),
             comparedClasses(*result->depth, document.view().options().method.classIndex, beside)))
      lines.push_back({curve.name, {curve.keys, curve.values, {}}});
    note = coreText(result->depth->note);
  }
  plot.setWhole(0, 1);
  plot.setLines(lines, QObject::tr("probability"), QObject::tr("after layer"), note);
}

}  // namespace headlight
