// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a detector found over the image: which boxes, where, in which color. Pure functions, as
// those of ViewedMap.h.

#include <QFontMetricsF>
#include <QPainter>
#include <QPalette>
#include <QRectF>
#include <QString>

#include <array>
#include <vector>

#include "ui/document/Document.h"

namespace headlight {

/// A box with its label; rectangles are in the painter's coordinates.
struct ObjectMark {
  QRectF box;     ///< cut off where the model sees nothing
  QRectF label;   ///< at its upper left corner, within the region
  QString text;   ///< "cat 93 %"
  int token = 0;  ///< of the model: the detection token that found it, or that its cell lies in
  int cell = -1;  ///< FoundObject::cell
  int colorIndex = 0;  ///< the same for all objects of a class
  bool isQuery = false;
};

/// Whether the model is a detector.
bool showsObjects(const Document& document);

/// Best first, those that score at least ViewOptions::objectThreshold; none where the view wants none or
/// the model is no detector. `region` is what the model sees.
std::vector<ObjectMark> viewedObjects(const Document& document, const QRectF& region,
                                      const QFontMetricsF& metrics);

/// The box that was chosen, else those of the query, thicker; the best on top.
void drawObjects(QPainter& painter, const std::vector<ObjectMark>& marks, const QPalette& palette);

/// A box of the image's dataset.
struct TruthMark {
  QRectF box;          ///< cut off where the model sees nothing
  int colorIndex = 0;  ///< of the model's class of this name, else of the dataset's
};

/// Whether the image that is shown has boxes in its dataset.
bool showsTruth(const Document& document);

/// What the image's dataset says; none where the view wants none.
std::vector<TruthMark> viewedTruth(const Document& document, const QRectF& region);

/// Thin and dashed, below what was found.
void drawTruth(QPainter& painter, const std::vector<TruthMark>& marks);

/// The box of an object that was found without labels, in [0, 1] of `region`.
void drawFoundBox(QPainter& painter, const QRectF& region, const std::array<double, 4>& box);

/// The mark whose label is at a point, the uppermost; null: none.
const ObjectMark* labelAt(const std::vector<ObjectMark>& marks, const QPointF& point);

}  // namespace headlight
