// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A frame around what a step of the tour is about, and the line to it from the balloon. It lets
// mouse and keys through to the window.

#include <QWidget>

#include "ui/tour/BalloonPlace.h"

namespace headlight {

class TourRing : public QWidget {
  Q_OBJECT
 public:
  explicit TourRing(QWidget* window);

  /// `target` in the window's coordinates.
  void showAround(const QRect& target, const BalloonPlace& place);
  /// In the window's coordinates; empty while hidden.
  QRect target() const { return isVisibleTo(parentWidget()) ? m_target : QRect(); }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QRect m_target;
  QPoint m_from, m_to;
};

}  // namespace headlight
