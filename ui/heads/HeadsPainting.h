// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The words beside all heads, from plain values.

#include <QPainter>
#include <QPalette>

#include "ui/heads/HeadsLayout.h"

namespace headlight {

/// The state that the labels show.
struct HeadsLabels {
  QPointF scroll;  ///< how far the tiles are scrolled; labels stay in place over them
  QSize viewport;
  int layer = 0, head = -1;  ///< the chosen ones, which stand out
};
/// Layers at the left of each block, heads above.
void paintHeadsLabels(QPainter& painter, const HeadsLayout& layout, const HeadsLabels& labels,
                      const QPalette& palette);

}  // namespace headlight
