// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/ViewedDecoder.h"

#include <QObject>

#include <algorithm>
#include <utility>

#include "ui/base/CoreText.h"
#include "ui/canvas/ViewedSegments.h"

namespace headlight {
namespace {

/// That the view asks for, of those that there are; −1: none.
int askedLayer(const FoundSegments& found, const ViewOptions& view) {
  return std::min(view.decoderLayer, found.decoderLayers - 1);
}

/// Of that layer; empty where none is shown.
std::vector<float> askedMap(const FoundSegments* found, const ViewOptions& view) {
  if (!found || !view.objectBoxes || !view.learned.empty()) return {};
  return decoderMap(*found, view.segmentQuery, askedLayer(*found, view));
}

}  // namespace

int offeredDecoderLayers(const Document& document) {
  const auto found = viewedSegments(document);
  return found && document.view().options().segmentQuery >= 0 ? found->decoderLayers : 0;
}

int shownDecoderLayer(const Document& document) {
  const auto found = viewedSegments(document);
  const ViewOptions& view = document.view().options();
  return askedMap(found.get(), view).empty() ? -1 : askedLayer(*found, view);
}

std::optional<MapOverlay> decoderOverlay(const FoundSegments* found, const ViewOptions& view) {
  std::vector<float> values = askedMap(found, view);
  if (values.empty()) return {};
  const Grid& grid = found->decoder[static_cast<std::size_t>(askedLayer(*found, view))].grid;
  MapOverlay map;
  map.rows = grid.rows;
  map.cols = grid.cols;
  map.setDrawn(drawnMap(values, /*isSigned=*/false, view.style, view.colorMap));
  map.values = std::move(values);
  map.smooth = view.smooth;
  return map;
}

std::optional<MapOverlay> decoderOverlay(const Document& document) {
  return decoderOverlay(viewedSegments(document).get(), document.view().options());
}

QString decoderTitle(const Document& document) {
  const int layer = shownDecoderLayer(document);
  if (layer < 0) return {};
  return coreText(
      decoderMapTitle(*viewedSegments(document), document.view().options().segmentQuery, layer));
}

QString decoderNote(const Document& document) {
  const int layer = shownDecoderLayer(document);
  return layer < 0 ? QString() : coreText(decoderMapMeaning(layer));
}

QString decoderShareText(const Document& document, double value) {
  return QObject::tr("%1 % of the attention of query %2")
      .arg(QString::number(value * 100, 'f', value < 0.1 ? 2 : 1))
      .arg(document.view().options().segmentQuery);
}

}  // namespace headlight
