#include "ui/figures/WayFigure.h"

#include <algorithm>

#include "ui/bridge/WaysBridge.h"
#include "ui/compare/ComparedMaps.h"
#include "ui/compare/ComparedWay.h"
#include "ui/compare/SideBySide.h"
#include "ui/canvas/ViewedMap.h"

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

FigurePanel panelOf(const Document& document, const MapLayer& map) {
  FigurePanel panel;
  panel.map = map;
  panel.image = document.shownImage();
  panel.region = shownRegion(document);
  return panel;
}

/// The plot, the colours, or the heatmap; nothing while there is none.
std::optional<FigurePanel> wayPanel(const Document& document, const WaysBridge& bridge,
                                    const WayPicture& picture) {
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

bool isHeat(const Document& document) {
  const WayInfo* way = wayFromName(document.view().way.name);
  return way && way->isHeat;
}

Legend wayCaption(const Document& document, const WayPicture& picture) {
  const WayInfo* way = wayFromName(document.view().way.name);
  if (!way || way->way != Way::Depth) return picture.legend();
  Legend legend;
  legend.title = QObject::tr("prediction by depth");
  legend.note = QString::fromStdString(way->help);
  return legend;
}

QString sideTitle(const QString& side, const Document& document, const Legend& legend) {
  return QStringLiteral("%1: %2 · %3").arg(side, describeSide(document), legend.title);
}

void addDifference(const SideBySide& sides, FigureRequest& request) {
  const auto left = sides.leftWay()->heat()->ownMap(), right = sides.rightWay()->heat()->ownMap();
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

Result<FigureRequest> captureWay(const Document& document, const WaysView& ways) {
  auto request = captureFigure(document, FigureKind::Comparison);
  if (!request) return request;
  const auto panel = wayPanel(document, *ways.bridge(), *ways.picture());
  if (!panel) return nothingYet();
  request->sides = {*panel};
  if (!isHeat(document)) request->view.showOverlay = false;
  request->caption = wayCaption(document, *ways.picture());
  return request;
}

Result<FigureRequest> captureComparedWays(const SideBySide& sides) {
  auto request = captureFigure(sides.right(), FigureKind::Comparison);
  if (!request) return request;
  const ComparedWay &left = *sides.leftWay(), &right = *sides.rightWay();
  auto leftPanel = wayPanel(sides.left(), *left.ways(), *left.heat());
  auto rightPanel = wayPanel(sides.right(), *right.ways(), *right.heat());
  if (!leftPanel || !rightPanel) return nothingYet();
  leftPanel->title = QObject::tr("left");
  rightPanel->title = QObject::tr("right");
  const bool heat = isHeat(sides.right());
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
