// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/figures/ExplanationFigure.h"

#include <algorithm>

#include "ui/attribution/ExplanationView.h"
#include "ui/base/CoreText.h"
#include "ui/bridge/ExplanationBridge.h"
#include "ui/canvas/ViewedMap.h"
#include "ui/canvas/ViewedObjects.h"
#include "ui/compare/CompareSides.h"
#include "ui/compare/ComparedExplanation.h"
#include "ui/compare/ComparedMaps.h"

namespace headlight {
namespace {

constexpr int kColorSide = 1024;  ///< pixels of colors, at most

/// Why there is no panel: the method failed, or is still being computed.
Error noPanel(const ExplanationBridge& bridge) {
  const auto result = bridge.result();
  const QString problem =
      result && !result->error.isEmpty()
          ? result->error
          : QObject::tr("this explanation is not computed yet; try again in a moment");
  return {ErrorCode::InvalidArgument, problem.toStdString(), "figure"};
}

/// An image by itself, with no map over it.
FigurePanel panelAlone(const Image& image) {
  FigurePanel panel;
  panel.image = image;
  panel.region = QRectF(0, 0, image.width, image.height);
  panel.map.rows = panel.map.cols = 1;
  panel.map.values = {0.0f};
  return panel;
}

Image colorsImage(const FeatureColors::Projection& image, bool smooth) {
  const int each = std::max(1, kColorSide / std::max(image.grid.rows, image.grid.cols));
  return featuresImage(image, image.grid.cols * each, image.grid.rows * each, smooth);
}

FigurePanel panelOf(const Document& document, const MapOverlay& map) {
  FigurePanel panel;
  panel.map = map;
  panel.image = document.recorded().shownImage();
  panel.region = shownRegion(document);
  return panel;
}

/// As on the page: a marked object has a box, and true boxes beside it.
FigurePanel heatmapPanel(const Document& document, const MapOverlay& map,
                         const ExplanationImage& image) {
  FigurePanel panel = panelOf(document, map);
  const auto heatmap = image.heatmap();
  if (!heatmap || !heatmap->box) return panel;
  panel.found = heatmap->box;
  panel.truth = viewedTruth(document, panel.region);
  return panel;
}

/// The plot, the colors, or the heatmap; empty while there is none.
std::optional<FigurePanel> explanationPanel(const Document& document,
                                            const ExplanationBridge& bridge,
                                            const ExplanationImage& image) {
  const auto result = bridge.result();
  if (!result || result->choice.name != document.view().options().method.name) return {};
  if (result->depth)
    return panelAlone(renderPixels(depthPlot(*result->depth, document.inputs().model(),
                                             document.view().options().method.classIndex),
                                   3));
  if (result->colors)
    return panelAlone(
        colorsImage(result->colors->images.front(), document.view().options().smooth));
  if (const auto& map = image.shownMap()) return heatmapPanel(document, *map, image);
  return {};
}

bool isHeatmap(const Document& document) {
  const ExplanationInfo* method = explanationFromName(document.view().options().method.name);
  return method && method->isHeatmap();
}

Legend explanationCaption(const Document& document, const ExplanationImage& image) {
  const ExplanationInfo* method = explanationFromName(document.view().options().method.name);
  if (!method || method->kind != ExplanationKind::Curve) return image.legend();
  Legend legend;
  legend.title = coreText(method->title);
  legend.note = coreText(method->help);
  return legend;
}

/// The box of a side belongs beside its title: the detail is of both.
void nameObject(Legend& legend, const QString& object) {
  if (object.isEmpty()) return;
  const QString joined = QStringLiteral(" · ") + object;
  legend.detail.remove(joined);
  legend.title += joined;
}

QString sideTitle(const QString& side, const Document& document, const Legend& legend) {
  return QStringLiteral("%1: %2 · %3").arg(side, describeSide(document), legend.title);
}

void addDifference(const CompareSides& sides, FigureRequest& request) {
  const auto left = sides.leftExplanation()->heatmap()->ownMap(),
             right = sides.rightExplanation()->heatmap()->ownMap();
  if (!left || !right) return;
  const auto found = subtractMaps(*left, *right);
  if (!found) return;
  FigurePanel panel = panelOf(sides.right(), differenceMap(*found, *right));
  panel.title = QObject::tr("right − left");
  panel.plotBar = true;
  request.sides.push_back(panel);
  request.caption.note += QObject::tr(". Right − left: ") +
                          coreText(differenceText(*found, {right->rows, right->cols}));
}

}  // namespace

Result<FigureRequest> captureExplanation(const Document& document,
                                         const ExplanationView& explanations) {
  auto request = captureFigure(document, FigureKind::Comparison);
  if (!request) return request;
  const auto panel = explanationPanel(document, *explanations.bridge(), *explanations.image());
  if (!panel) return noPanel(*explanations.bridge());
  request->sides = {*panel};
  if (!isHeatmap(document)) request->view.showOverlay = false;
  request->caption = explanationCaption(document, *explanations.image());
  return request;
}

Result<FigureRequest> captureComparedExplanations(const CompareSides& sides) {
  auto request = captureFigure(sides.right(), FigureKind::Comparison);
  if (!request) return request;
  const ComparedExplanation &left = *sides.leftExplanation(), &right = *sides.rightExplanation();
  auto leftPanel = explanationPanel(sides.left(), *left.explanations(), *left.heatmap());
  auto rightPanel = explanationPanel(sides.right(), *right.explanations(), *right.heatmap());
  if (!leftPanel) return noPanel(*left.explanations());
  if (!rightPanel) return noPanel(*right.explanations());
  leftPanel->title = QObject::tr("left");
  rightPanel->title = QObject::tr("right");
  const bool heatmap = isHeatmap(sides.right());
  leftPanel->plotBar = rightPanel->plotBar = heatmap;
  request->sides = {*leftPanel, *rightPanel};
  Legend leftLegend = explanationCaption(sides.left(), *left.heatmap());
  nameObject(leftLegend, left.heatmap()->objectText());
  request->caption = explanationCaption(sides.right(), *right.heatmap());
  nameObject(request->caption, right.heatmap()->objectText());
  request->caption.note = sideTitle(QObject::tr("Right"), sides.right(), request->caption) +
                          QStringLiteral(". ") + request->caption.note;
  request->caption.title = sideTitle(QObject::tr("left"), sides.left(), leftLegend);
  if (!heatmap) request->view.showOverlay = false;
  if (heatmap && sides.comparison().difference) addDifference(sides, *request);
  return request;
}

}  // namespace headlight
