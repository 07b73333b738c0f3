// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// An image with a map over it as it is painted in a widget, from plain values: the scene, which is
// kept until something in it changes, and what lies over it. Rectangles are in the widget's
// coordinates where nothing else is said.

#include <QImage>
#include <QPainter>
#include <QPalette>
#include <QRectF>
#include <QString>

#include "core/workbench/session/MapRendering.h"

namespace headlight {

/// The image, the map, and what the model does not see dimmed.
struct ImageScene {
  QImage image;         ///< null: none
  QRectF source;        ///< the part of it that is in sight, in its own pixels
  QRectF target;        ///< where that part goes
  bool blocky = false;  ///< so close that its pixels are to be seen
  QRectF region;        ///< what the model sees; empty: no model, thus no map and nothing dimmed
  QImage map;           ///< of mapImage, over the region; null: none
  bool smoothMap = false;
  MapStyle style = MapStyle::Overlay;
  double strength = 1;  ///< opacity of an overlay, dimming of the headlight
  bool plain = false;   ///< the map is of no image: gray in its place
};
/// Over what the model does not see: darker than the headlight's dark, in any theme.
QColor unseenShade();
void paintScene(QPainter& painter, const ImageScene& scene);

/// The edge of what the model sees.
void paintRegionEdge(QPainter& painter, const QRectF& region, const QPalette& palette);
/// Between the patches of a rows × cols grid over `region`, as far as they are in `area`; nothing
/// where patches are too small for it.
void paintPatchLines(QPainter& painter, const QRectF& region, int rows, int cols,
                     const QRectF& area);
void paintHoveredPatch(QPainter& painter, const QRectF& patch);
/// In the middle of an area without an image.
void paintHint(QPainter& painter, const QRectF& area, const QString& text, const QPalette& palette);
/// Text on a quiet rounded ground beside `what`, within `area`.
void drawNoteBeside(QPainter& painter, const QRectF& what, const QRectF& area, const QString& text,
                    const QPalette& palette);
/// The same, its corner at `corner` of `anchor`.
void drawNote(QPainter& painter, const QRectF& anchor, Qt::Alignment corner, const QString& text,
              const QPalette& palette);

}  // namespace headlight
