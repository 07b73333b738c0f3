// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The map that the view options select in an InferenceResult. Pure functions: no widget, no state.

#include <QRectF>
#include <QString>

#include <memory>
#include <optional>
#include <string>

#include "core/workbench/session/MapRendering.h"
#include "ui/canvas/ImagePainting.h"
#include "ui/document/Document.h"

namespace headlight {

/// The learned map that the view asks for, where the result has it; null: attention is shown.
const LearnedMap* shownLearned(const InferenceResult* inference, const ViewOptions& view);
/// The shown maps of a result: its attention, or that learned map.
const AttentionMaps& shownMaps(const InferenceResult& inference, const ViewOptions& view);
/// The map after `shown` in the list of a result's maps: attention (empty), then
/// its learned maps by name, then attention again.
std::string nextShown(const InferenceResult& inference, const std::string& shown);
/// Whether `maps` are drawn smooth: beyond the edge of a window there is nothing to blend with.
bool drawnSmooth(const AttentionMaps& maps, const ViewOptions& view, int layer);
/// The meaning of the shown maps, in sentences, as meaningNote().
QString shownNote(const Document& document);

/// The token grid of a layer; the model's where the layer has no maps.
Grid gridOfLayer(const AttentionMaps& maps, int layer, const Grid& model);

/// The drawing of such values in this view.
DrawnMap drawnIn(const ViewOptions& view, const std::vector<float>& values, bool isSigned);
/// The one scale of all heads, where the view wants one.
std::optional<DrawnMap> sharedDrawing(const AttentionMaps& maps, const Grid& model,
                                      const ViewOptions& view);

/// The scale that the map of (layer, head) shares: with the other recorded steps where the view
/// wants that and they are known, else `shared`; nothing: its own.
std::optional<DrawnMap> commonDrawing(const RecordedView* recorded, const ViewOptions& view,
                                      bool isSigned, int layer, int head,
                                      const std::optional<DrawnMap>& shared);
/// Whether all recorded steps share their scales.
bool sharesSteps(const RecordedView* recorded, const ViewOptions& view);

/// Patches seen by `view.query` in (layer, head); head −1 is the mean. Scaled to itself, or to
/// `shared` if given. Nothing where the layer has no maps or not that head.
std::optional<MapOverlay> viewedMap(const AttentionMaps& maps, const Grid& model,
                                    const ViewOptions& view, int layer, int head,
                                    const DrawnMap* shared);

/// The region of the shown image that the model sees, in its pixels.
QRectF shownRegion(const Document& document);

/// The map of the chosen layer, head and token.
std::optional<MapOverlay> canvasMap(const Document& document);
Legend canvasLegend(const Document& document, const std::optional<MapOverlay>& map);
/// Names the weights in a caption that does not do so yet.
void nameWeights(Legend& legend, const Document& document);
/// Below all heads: the token and how tiles are scaled; what stands below each, if they are
/// `captioned`.
Legend headsLegend(const Document& document, bool captioned = true);

/// The attention of the shown head to prefix tokens, summed: 1 minus that to patches (softmax).
double attentionToPrefix(const AttentionMaps& maps, const Grid& model, const ViewOptions& view);

/// The meaning of this model's maps, in sentences; empty for plain softmax attention.
QString meaningNote(const Document& document);
/// "the class token joins in layer 24", if that is after `layer`; else empty.
QString joiningNote(const Document& document, int layer);

}  // namespace headlight
