// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a detector found over the image: which boxes, where, in which color. Pure functions, as
// those of ViewedMap.h.

#include <QFontMetricsF>
#include <QPainter>
#include <QPalette>
#include <QRectF>
#include <QString>

#include <vector>

#include "ui/document/Document.h"

namespace headlight {

/// A box with its label; rectangles are in the painter's coordinates.
struct ObjectMark {
  QRectF box;          ///< cut off where the model sees nothing
  QRectF label;        ///< at its upper left corner, within the region
  QString text;        ///< "cat 93 %"
  int token = 0;       ///< of the model: the detection token that found it
  int colorIndex = 0;  ///< the same for all objects of a class
  bool isQuery = false;
};

/// Whether the model is a detector.
bool showsObjects(const Document& document);

/// Best first, those that score at least kDefaultObjectThreshold; none where the view wants none or
/// the model is no detector. `region` is what the model sees.
std::vector<ObjectMark> viewedObjects(const Document& document, const QRectF& region,
                                      const QFontMetricsF& metrics);

/// The box of the query thicker; the best on top.
void drawObjects(QPainter& painter, const std::vector<ObjectMark>& marks, const QPalette& palette);

/// The mark whose label is at a point, the uppermost; null: none.
const ObjectMark* labelAt(const std::vector<ObjectMark>& marks, const QPointF& point);

}  // namespace headlight
