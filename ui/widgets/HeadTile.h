#pragma once
// One head's small map with its locality and mask, for the window and for figures alike.

#include <optional>

#include "core/masks/HeadMask.h"
#include "ui/widgets/ImagePainting.h"

namespace headlight {

struct HeadTile {
  QImage map;  ///< of mapImage; null: none yet
  bool smooth = false;
  int rows = 0, cols = 0;
  int queryPatch = -1;            ///< outlined; negative: a prefix token looks
  std::optional<float> locality;  ///< ALS
  HeadMask mask;
};

double headCaptionHeight(const QFontMetricsF& metrics);
/// The map in `area`, its caption below it.
void drawHeadTile(QPainter& painter, const QRectF& area, const HeadTile& tile,
                  const QPalette& palette);

}  // namespace headlight
