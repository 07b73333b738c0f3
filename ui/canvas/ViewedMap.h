// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The map that the view options point at, taken out of a Look. Pure functions: no widget, no state.

#include <QRectF>
#include <QString>

#include <memory>
#include <optional>
#include <string>

#include "core/workbench/session/MapView.h"
#include "ui/canvas/ImagePainting.h"
#include "ui/document/Document.h"

namespace headlight {

/// The learned map that the view asks for, where the look has it; null: attention is shown.
const LearnedMap* shownLearned(const InferenceResult* look, const ViewOptions& view);
/// What the view shows of a look: its attention, or that learned map.
const AttentionMaps& shownMaps(const InferenceResult& look, const ViewOptions& view);
/// What comes after `shown` where one steps through what a look can show: attention (empty), then
/// its learned maps by name, then attention again.
std::string nextShown(const InferenceResult& look, const std::string& shown);
/// What `maps` are drawn as: beyond the edge of a window there is nothing to blend with.
bool drawnSmooth(const AttentionMaps& maps, const ViewOptions& view, int layer);
/// What the shown maps are, in sentences, as meaningNote().
QString shownNote(const Document& document);

/// Where the tokens of a layer lie; as the model's where there are no maps of it.
Grid gridOfLayer(const AttentionMaps& maps, int layer, const Grid& model);

/// How such values are drawn in this view.
DrawnMap drawnIn(const ViewOptions& view, const std::vector<float>& values, bool isSigned);
/// The one scale of all heads, where the view wants one.
std::optional<DrawnMap> sharedDrawing(const AttentionMaps& maps, const Grid& model,
                                      const ViewOptions& view);

/// Patches seen by `view.query` in (layer, head); head −1 is the mean. Scaled to itself, or to
/// `shared` if given. Nothing where the layer has no maps or not that head.
std::optional<MapOverlay> viewedMap(const AttentionMaps& maps, const Grid& model,
                                    const ViewOptions& view, int layer, int head,
                                    const DrawnMap* shared);

/// Of the picture that is shown, what the model sees, in its pixels.
QRectF shownRegion(const Document& document);

/// The map of the chosen layer, head and token.
std::optional<MapOverlay> canvasMap(const Document& document);
Legend canvasLegend(const Document& document, const std::optional<MapOverlay>& map);
/// Below all heads: the token and how tiles are scaled.
Legend headsLegend(const Document& document);

/// What the viewed head gives to prefix tokens, summed: 1 minus what it gives to patches (softmax).
double attentionToPrefix(const AttentionMaps& maps, const Grid& model, const ViewOptions& view);

/// What a map of this model is, in sentences; empty where maps are plain softmax attention.
QString meaningNote(const Document& document);
/// "the class token joins in layer 24", if that is after `layer`; else empty.
QString joiningNote(const Document& document, int layer);

}  // namespace headlight
