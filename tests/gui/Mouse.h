// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Mouse moves that arrive at once. QTest::mouseMove moves the pointer of the whole screen: under
// X11 the event comes back later, and not at all where the pointer already was.

#include <QCoreApplication>
#include <QMouseEvent>
#include <QWidget>

namespace headlight::synthetic {

inline void moveMouse(QWidget* widget, QPointF position, Qt::MouseButtons held = Qt::NoButton) {
  QMouseEvent event(QEvent::MouseMove, position, widget->mapToGlobal(position), Qt::NoButton, held,
                    Qt::NoModifier);
  QCoreApplication::sendEvent(widget, &event);
}

}  // namespace headlight::synthetic
