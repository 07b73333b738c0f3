// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One head's small map with its locality and mask, for the window and for figures alike.

#include <optional>

#include "core/masks/HeadMask.h"
#include "ui/canvas/ImagePainting.h"

namespace headlight {

struct HeadTile {
  QImage map;  ///< of mapImage; null: none yet
  bool smooth = false;
  int rows = 0, cols = 0;
  int queryPatch = -1;  ///< outlined; negative: a prefix token looks
  QString number;       ///< of the head: its locality, entropy, …; empty: none
  HeadMask mask;
  bool uniform = false;   ///< isPracticallyUniform(): called so
  bool captioned = true;  ///< number and mask stand below the map
};

double headCaptionHeight(const QFontMetricsF& metrics);
/// Where in `area` a map of so many patches goes: as large as there is room with patches as high as
/// they are wide, such as of a window that the edge of the image cuts.
QRectF mapAreaInTile(const QRectF& area, int rows, int cols);
/// The map in `area`, its caption below it.
void drawHeadTile(QPainter& painter, const QRectF& area, const HeadTile& tile,
                  const QPalette& palette);

}  // namespace headlight
