#include "ui/maps/DepthPlot.h"

#include <QCoreApplication>

#include "ui/bridge/WaysBridge.h"
#include "ui/plots/RunCurvesPlot.h"

namespace headlight {
namespace {

QString depthText(const char* text) {
  return QCoreApplication::translate("DepthPlot", text);
}

}  // namespace

void showDepth(RunCurvesPlot& plot, const Document& document, const WaysBridge& bridge) {
  const auto result = bridge.result();
  std::vector<NamedCurve> lines;
  QString note = result ? result->error : depthText("Asking every layer…");
  if (result && result->depth) {
    for (const PlottedCurve& curve :
         depthCurves(*result->depth, document.model(), document.view().way.classIndex))
      lines.push_back({curve.name, {curve.keys, curve.values, {}}});
    note = QString::fromStdString(result->depth->note);
  }
  plot.setLines(lines, depthText("probability"), depthText("after layer"), note);
}

}  // namespace headlight
