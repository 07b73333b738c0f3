// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Draws a cell of the mask matrix and its headers. Paints from plain values and knows
// neither document nor widget.

#include <QFont>
#include <QImage>
#include <QPainter>
#include <QPalette>
#include <QString>

#include <optional>

#include "core/masks/HeadMask.h"
#include "ui/masks/MatrixLayout.h"

namespace headlight {

/// The painted state of a cell.
struct MatrixCell {
  HeadMask mask;
  std::optional<float> alpha;    ///< that a soft head has now; else its mask's is shown
  std::optional<double> bar;     ///< its length, in [0, 1]; none: no bar
  std::optional<double> chance;  ///< marked on it, in [0, 1]
  QImage thumbnail;              ///< at the left; null: none
  int thumbnailSide = 0;         ///< the room for it
  QString number;                ///< beside the mask where there is room; may be empty
  bool recorded = false;         ///< the bar is of a training step that was chosen
  bool maskable = true;          ///< false: hatched
  bool hovered = false, selected = false;
  bool current = false;  ///< where the keyboard stands, in a matrix that has the focus
  bool shown = false;    ///< the head shown in the image
};

/// The painted state of the headers.
struct MatrixHeaders {
  MatrixPlace hovered;
  int shownLayer = 0, shownHead = -1;  ///< in the image
};

class MaskMatrixPainter {
 public:
  /// `painter` outlives it.
  MaskMatrixPainter(QPainter* painter, const QPalette& palette, const QFont& font);

  void drawCell(const QRect& rect, const MatrixCell& cell);
  /// Over the cells, in a viewport of this size.
  void drawHeaders(const MatrixLayout& layout, const QSize& viewport, const MatrixHeaders& headers);
  /// The ground beneath cells and headers.
  void drawPaper(const QRect& rect);

 private:
  void drawGround(const QRectF& box, const MatrixCell& cell);
  void drawThumbnail(const QRectF& box, const MatrixCell& cell);
  void drawText(const QRectF& box, const MatrixCell& cell);
  QString fittingNumber(const QRectF& box, const MatrixCell& cell) const;
  void drawBar(const QRectF& box, const MatrixCell& cell);
  void drawNumber(const QRectF& box, const MatrixCell& cell);
  void drawMarks(const QRectF& box, const MatrixCell& cell);
  void drawHeader(const QRect& rect, const QString& text, bool hovered, bool shown);
  QColor cellFill(const MatrixCell& cell) const;

  QPainter* m_painter;
  QPalette m_palette;
  QFont m_font;
  QColor m_ink, m_paper, m_highlight;
};

}  // namespace headlight
