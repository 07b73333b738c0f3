// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The mask of the shown head over the image: what is drawn, and how. Pure functions, as those of
// ViewedMap.h.

#include <QPainter>
#include <QPalette>
#include <QRectF>

#include "core/workbench/session/MaskSight.h"
#include "ui/document/Document.h"

namespace headlight {

/// Nothing where the view wants no outlines, or shows a learned map in place of attention.
MaskSight viewedMask(const Document& document);
MaskSight viewedMask(const ModelInfo& model, const MaskScheme& masks,
                     const InferenceResult* inference, const ViewOptions& view);

/// The outlines over `region` (what the model sees, in the painter's coordinates): the window in
/// the color of its kind, a learned mask dashed, both on a dark line so that they show on any
/// image.
void drawMaskSight(QPainter& painter, const QRectF& region, const MaskSight& sight,
                   const QPalette& palette);

}  // namespace headlight
