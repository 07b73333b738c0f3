// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a segmenter found over the image: the colors of its classes, their legend, the mask of the
// query that was clicked, and the borders of the true segments.

#include <QFontMetricsF>
#include <QImage>
#include <QPainter>
#include <QPalette>
#include <QRectF>
#include <QString>

#include <memory>
#include <string>
#include <vector>

#include "ui/document/Document.h"

namespace headlight {

/// Whether the model gives every pixel a class.
bool showsSegments(const Document& document);
/// Whether the image that is shown has true segments in its dataset.
bool showsTrueSegments(const Document& document);
/// What is colored; null where the view wants nothing colored or there is no result yet.
std::shared_ptr<const FoundSegments> viewedSegments(const Document& document);

/// A line of the legend; rectangles are in the painter's coordinates.
struct SegmentKey {
  QRectF line, swatch;
  QString text;         ///< "sky 41.3 %", or "+ 3" for those that the area does not hold
  int colorIndex = -1;  ///< of the class; −1: none
};
/// At the upper right corner of `area`, the largest share first.
std::vector<SegmentKey> segmentKeys(const FoundSegments& found, const QRectF& area,
                                    const QFontMetricsF& metrics);
/// What they take of the image; empty without any.
QRectF areaOfKeys(const std::vector<SegmentKey>& keys);

/// "sky", "sky (true: building)": the class at a place of the image, x and y in [0, 1); empty
/// where nothing is known.
QString segmentTextAt(const Document& document, const QPointF& place);
/// What the colors and lines over the image are, in a sentence; empty: there are none.
QString segmentNote(const Document& document);

/// A class as a color image, transparent where nothing is known.
QImage classColors(const ClassImage& image);

/// Paints them and keeps the images that it is painted from as long as they stay the same.
class SegmentOverlay {
 public:
  /// `image`: where the whole image lies, `area`: the part of the widget that may be painted.
  void paint(QPainter& painter, const Document& document, const QRectF& image, const QRectF& area);

 private:
  void paintColors(QPainter& painter, const Document& document, const QRectF& image);
  void paintQuery(QPainter& painter, const Document& document, const QRectF& image,
                  const QRect& area);
  void paintTruth(QPainter& painter, const Document& document, const QRectF& image,
                  const QRect& area);

  std::shared_ptr<const FoundSegments> m_found;  ///< that m_colors are of
  QImage m_colors, m_truth;
  std::shared_ptr<const KnownTruth> m_known;  ///< that m_truth is of, and where it lies
  std::vector<std::string> m_names;           ///< of the model's classes, which have the colors
  QRectF m_truthImage;
  QRect m_truthArea;
};

/// Names and shares of the classes on a quiet ground.
void drawSegmentKeys(QPainter& painter, const std::vector<SegmentKey>& keys,
                     const QPalette& palette);

}  // namespace headlight
