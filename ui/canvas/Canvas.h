// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The image and where the chosen head looks from the chosen token.

#include <vector>

#include "core/workbench/session/MaskSight.h"
#include "ui/canvas/ImageView.h"
#include "ui/canvas/ViewedObjects.h"
#include "ui/canvas/ViewedSegments.h"

namespace headlight {

/// The patch under the pointer looks; a click pins it, Esc frees it. A click on the label of an
/// object takes the detection token that found it, one on a segment its class and query. Arrows move the pinned token, C takes the class
/// token, D the distillation token or the next register. [ and ] change the
/// layer, comma and full stop the head, O shows or hides the map, S makes it smooth. The rest as
/// ImageView says.
class Canvas : public ImageView {
  Q_OBJECT
 public:
  explicit Canvas(Document* document, QWidget* parent = nullptr);
  /// What is drawn and said of the shown head's mask.
  const MaskSight& maskSight() const { return m_sight; }
  /// What is boxed now, best first; in widget coordinates.
  std::vector<ObjectMark> objects() const;
  /// The legend of the segments that are colored now; in widget coordinates.
  std::vector<SegmentKey> segmentLegend() const;

 protected:
  std::optional<MapOverlay> currentMap() const override;
  Legend currentLegend() const override;
  QString legendNote() const override;
  void paintMarks(QPainter& painter) override;
  QString hoverText(int patch) const override;
  /// "the attention of the class token": the share that a patch gets is of this.
  QString whoseAttention(int patch) const;
  void mapTaken() override;
  void patchPressed(int patch) override;
  void patchHovered(int patch) override;
  bool hasNoImage() const override;
  bool handleKey(QKeyEvent* event) override;
  bool claimsKey(const QKeyEvent& event) const override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;

 private:
  /// Makes the query of the segment at a point the chosen one; whether there is a segment.
  bool pressSegment(const QPointF& point);
  QRectF imageRect() const;
  /// Of the whole image, in [0, 1).
  QPointF placeAt(const QPointF& point) const;
  void drawSegments(QPainter& painter);
  QString patchHoverText(int patch) const;
  void moveToken(int rows, int cols);
  void setQuery(int token);
  void stepLayer(int by);
  void stepHead(int by);
  void stepAmongOthers();
  QString chipText(int token) const;
  QRectF chipRect(int token) const;
  /// Prefix tokens that stand as chips over the image: all, or where they are many, those that are
  /// no registers and the query.
  std::vector<int> chipTokens() const;
  void drawChip(QPainter& painter, int token) const;
  void readMask();
  void describe();
  void drawMask(QPainter& painter);

  MaskSight m_sight;
  SegmentOverlay m_segments;
  QPointF m_pointer{-1, -1};  ///< where it was last, in [0, 1) of the image
};

}  // namespace headlight
