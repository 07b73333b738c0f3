// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tour/WindowAreas.h"

#include <QMainWindow>
#include <QStatusBar>

namespace headlight {
namespace {

constexpr int kEdge = 8;

}  // namespace

QRect findArea(const QWidget* widget, const QRect& part, const QMainWindow* window) {
  return {widget->mapTo(window, part.topLeft()), part.size()};
}

QRect findFreeArea(const QMainWindow* window) {
  QRect area = window->rect();
  if (const QWidget* menu = window->menuWidget()) area.setTop(menu->geometry().bottom() + 1);
  const auto* status = window->findChild<QStatusBar*>(QString(), Qt::FindDirectChildrenOnly);
  if (status && status->isVisible()) area.setBottom(status->geometry().top() - 1);
  return area.adjusted(kEdge, kEdge, -kEdge, -kEdge);
}

}  // namespace headlight
