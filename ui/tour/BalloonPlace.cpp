// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tour/BalloonPlace.h"

#include <algorithm>
#include <limits>

namespace headlight {
namespace {

constexpr int kGap = 18;             ///< between balloon and target: room for the line
constexpr double kTargetWeight = 8;  ///< covering the target is worse than anything else
constexpr double kDistanceWeight = 40;

double area(const QRect& rect) {
  return rect.isEmpty() ? 0 : double(rect.width()) * rect.height();
}

QRect keptWithin(QRect rect, const QRect& bounds) {
  const int x = std::clamp(rect.x(), bounds.left(),
                           std::max(bounds.left(), bounds.right() + 1 - rect.width()));
  const int y = std::clamp(rect.y(), bounds.top(),
                           std::max(bounds.top(), bounds.bottom() + 1 - rect.height()));
  rect.moveTo(x, y);
  return rect;
}

/// Right of, left of, below and above `rect`.
QList<QPoint> placesBeside(const QRect& rect, const QSize& size) {
  const QPoint middle(rect.center().x() - size.width() / 2, rect.center().y() - size.height() / 2);
  return {{rect.right() + 1 + kGap, middle.y()},
          {rect.left() - kGap - size.width(), middle.y()},
          {middle.x(), rect.bottom() + 1 + kGap},
          {middle.x(), rect.top() - kGap - size.height()}};
}

QPoint nearest(const QRect& rect, const QPoint& point) {
  return {std::clamp(point.x(), rect.left(), rect.right()),
          std::clamp(point.y(), rect.top(), rect.bottom())};
}

double cost(const QRect& balloon, const QRect& target, const QList<QRect>& keepFree) {
  double covered = kTargetWeight * area(balloon & target);
  for (const QRect& rect : keepFree)
    covered += area(balloon & rect);
  const QPoint way = nearest(balloon, target.center()) - target.center();
  return covered + kDistanceWeight * way.manhattanLength();
}

}  // namespace

BalloonPlace placeBalloon(const QSize& size, const QRect& target, const QRect& bounds,
                          const QList<QRect>& keepFree) {
  const QRect seen = target & bounds;
  if (seen.isEmpty()) {
    QRect middle(QPoint(), size);
    middle.moveCenter(bounds.center());
    return {keptWithin(middle, bounds), {}, {}, false};
  }
  QList<QPoint> corners = placesBeside(seen, size);
  for (const QRect& rect : keepFree)
    corners += placesBeside(rect, size);
  BalloonPlace best;
  double least = std::numeric_limits<double>::max();
  for (const QPoint& corner : corners) {
    const QRect balloon = keptWithin({corner, size}, bounds);
    const double now = cost(balloon, seen, keepFree);
    if (now >= least) continue;
    least = now;
    best.balloon = balloon;
  }
  best.from = nearest(best.balloon, seen.center());
  best.to = nearest(seen, best.from);
  best.points = true;
  return best;
}

}  // namespace headlight
