// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Where the query of a clicked segment looks in a layer of a segmenter's decoder, in place of a
// head's map. Pure functions: no widget, no state.

#include <QString>

#include <optional>

#include "ui/canvas/ImagePainting.h"
#include "ui/document/Document.h"

namespace headlight {

/// The layers that the view may choose from; 0 until a segment was clicked whose maps are known.
int offeredDecoderLayers(const Document& document);
/// The layer whose map is shown; −1: a head's map is.
int shownDecoderLayer(const Document& document);

/// The map of the clicked query in that layer; nothing where none is shown. `found` may be null.
std::optional<MapOverlay> decoderOverlay(const FoundSegments* found, const ViewOptions& view);
std::optional<MapOverlay> decoderOverlay(const Document& document);
/// "query 5 in decoder layer 3 · mean of heads · level of stride 16"; empty where none is shown.
QString decoderTitle(const Document& document);
/// What that map is, in a sentence.
QString decoderNote(const Document& document);
/// "1.2 % of the attention of query 5".
QString decoderShareText(const Document& document, double value);

}  // namespace headlight
