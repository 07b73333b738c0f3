#include "ui/figures/WayFigure.h"

#include <algorithm>

#include "ui/bridge/WaysBridge.h"
#include "ui/maps/WaysView.h"

namespace headlight {
namespace {

constexpr int kColorSide = 1024;  ///< pixels of feature colours, at most

/// A picture by itself, with no map over it.
void showAlone(FigureRequest& request, const Image& image) {
  FigurePanel panel;
  panel.image = image;
  panel.region = QRectF(0, 0, image.width, image.height);
  panel.map.rows = panel.map.cols = 1;
  panel.map.values = {0.0f};
  request.view.showOverlay = false;
  request.sides = {panel};
}

Image colorsImage(const FeatureColors::Picture& picture, bool smooth) {
  const int each = std::max(1, kColorSide / std::max(picture.grid.rows, picture.grid.cols));
  return featuresImage(picture, picture.grid.cols * each, picture.grid.rows * each, smooth);
}

}  // namespace

Result<FigureRequest> captureWay(const Document& document, const WaysView& ways) {
  auto request = captureFigure(document, FigureKind::Comparison);
  if (!request) return request;
  const auto result = ways.bridge()->result();
  const bool current = result && result->choice.name == document.view().way.name;
  request->caption = ways.picture()->legend();
  if (current && result->depth) {
    const Drawing plot =
        depthPlot(*result->depth, document.model(), document.view().way.classIndex);
    request->caption = {};
    request->caption.title = QObject::tr("prediction by depth");
    request->caption.note = QString::fromStdString(infoOf(Way::Depth).help);
    showAlone(*request, pixelsOf(plot, 3));
  } else if (current && result->colors) {
    showAlone(*request, colorsImage(result->colors->pictures.front(), document.view().smooth));
  } else if (const auto& map = ways.picture()->shownMap(); current && map) {
    FigurePanel panel;
    panel.map = *map;
    panel.image = document.shownImage();
    panel.region = request->region;
    request->sides = {panel};
  } else {
    return Error{ErrorCode::InvalidArgument, "this way of looking shows nothing yet", "figure"};
  }
  return request;
}

}  // namespace headlight
