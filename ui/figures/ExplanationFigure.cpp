// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/figures/ExplanationFigure.h"

#include <algorithm>

#include "ui/bridge/ExplanationBridge.h"
#include "ui/canvas/ViewedMap.h"
#include "ui/compare/CompareSides.h"
#include "ui/compare/ComparedExplanation.h"
#include "ui/compare/ComparedMaps.h"

namespace headlight {
namespace {

constexpr int kColorSide = 1024;  ///< pixels of feature colours, at most

Error nothingYet() {
  return {ErrorCode::InvalidArgument, "this way of looking shows nothing yet", "figure"};
}

/// A picture by itself, with no map over it.
FigurePanel panelAlone(const Image& image) {
  FigurePanel panel;
  panel.image = image;
  panel.region = QRectF(0, 0, image.width, image.height);
  panel.map.rows = panel.map.cols = 1;
  panel.map.values = {0.0f};
  return panel;
}

Image colorsImage(const FeatureColors::Picture& picture, bool smooth) {
  const int each = std::max(1, kColorSide / std::max(picture.grid.rows, picture.grid.cols));
  return featuresImage(picture, picture.grid.cols * each, picture.grid.rows * each, smooth);
}

FigurePanel panelOf(const Document& document, const MapOverlay& map) {
  FigurePanel panel;
  panel.map = map;
  panel.image = document.shownImage();
  panel.region = shownRegion(document);
  return panel;
}

/// The plot, the colours, or the heatmap; nothing while there is none.
std::optional<FigurePanel> wayPanel(const Document& document, const ExplanationBridge& bridge,
                                    const ExplanationImage& picture) {
  const auto result = bridge.result();
  if (!result || result->choice.name != document.view().way.name) return {};
  if (result->depth)
    return panelAlone(
        pixelsOf(depthPlot(*result->depth, document.model(), document.view().way.classIndex), 3));
  if (result->colors)
    return panelAlone(colorsImage(result->colors->pictures.front(), document.view().smooth));
  if (const auto& map = picture.shownMap()) return panelOf(document, *map);
  return {};
}

bool isHeatmap(const Document& document) {
  const ExplanationInfo* way = wayFromName(document.view().way.name);
  return way && way->isHeatmap;
}

Legend wayCaption(const Document& document, const ExplanationImage& picture) {
  const ExplanationInfo* way = wayFromName(document.view().way.name);
  if (!way || way->way != ExplanationMethod::Depth) return picture.legend();
  Legend legend;
  legend.title = QObject::tr("prediction by depth");
  legend.note = QString::fromStdString(way->help);
  return legend;
}

QString sideTitle(const QString& side, const Document& document, const Legend& legend) {
  return QStringLiteral("%1: %2 · %3").arg(side, describeSide(document), legend.title);
}

void addDifference(const CompareSides& sides, FigureRequest& request) {
  const auto left = sides.leftExplanation()->heat()->ownMap(),
             right = sides.rightExplanation()->heat()->ownMap();
  if (!left || !right) return;
  const auto found = differenceOf(*left, *right);
  if (!found) return;
  FigurePanel panel = panelOf(sides.right(), differenceMap(*found, *right));
  panel.title = QObject::tr("right − left");
  panel.ownBar = true;
  request.sides.push_back(panel);
  request.caption.note +=
      QObject::tr(". Right − left: ") +
      QString::fromStdString(differenceText(*found, {right->rows, right->cols}));
}

}  // namespace

Result<FigureRequest> captureExplanation(const Document& document, const ExplanationView& ways) {
  auto request = captureFigure(document, FigureKind::Comparison);
  if (!request) return request;
  const auto panel = wayPanel(document, *ways.bridge(), *ways.picture());
  if (!panel) return nothingYet();
  request->sides = {*panel};
  if (!isHeatmap(document)) request->view.showOverlay = false;
  request->caption = wayCaption(document, *ways.picture());
  return request;
}

Result<FigureRequest> captureComparedExplanations(const CompareSides& sides) {
  auto request = captureFigure(sides.right(), FigureKind::Comparison);
  if (!request) return request;
  const ComparedExplanation &left = *sides.leftExplanation(), &right = *sides.rightExplanation();
  auto leftPanel = wayPanel(sides.left(), *left.ways(), *left.heat());
  auto rightPanel = wayPanel(sides.right(), *right.ways(), *right.heat());
  if (!leftPanel || !rightPanel) return nothingYet();
  leftPanel->title = QObject::tr("left");
  rightPanel->title = QObject::tr("right");
  const bool heat = isHeatmap(sides.right());
  leftPanel->ownBar = rightPanel->ownBar = heat;
  request->sides = {*leftPanel, *rightPanel};
  const Legend leftLegend = wayCaption(sides.left(), *left.heat());
  request->caption = wayCaption(sides.right(), *right.heat());
  request->caption.note = sideTitle(QObject::tr("Right"), sides.right(), request->caption) +
                          QStringLiteral(". ") + request->caption.note;
  request->caption.title = sideTitle(QObject::tr("left"), sides.left(), leftLegend);
  if (!heat) request->view.showOverlay = false;
  if (heat && sides.comparison().difference) addDifference(sides, *request);
  return request;
}

}  // namespace headlight
