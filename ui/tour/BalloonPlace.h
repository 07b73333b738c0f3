// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Where a balloon stands beside what it points at. In coordinates of the window.

#include <QList>
#include <QPoint>
#include <QRect>
#include <QSize>

namespace headlight {

struct BalloonPlace {
  QRect balloon;
  QPoint from, to;      ///< the line from the balloon to its target
  bool points = false;  ///< false: there is no target in `bounds`
};

/// Beside `target`, within `bounds` where it fits, covering as little as possible of the target and
/// of `keepFree`. An empty target: the middle of `bounds`.
BalloonPlace placeBalloon(const QSize& size, const QRect& target, const QRect& bounds,
                          const QList<QRect>& keepFree);

}  // namespace headlight
