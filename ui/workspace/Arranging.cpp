// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workspace/Arranging.h"

#include <QDockWidget>
#include <QFileInfo>
#include <QGuiApplication>
#include <QMainWindow>
#include <QMouseEvent>
#include <QScreen>

#include <algorithm>

#include "core/base/Log.h"
#include "ui/document/LayoutBytes.h"

namespace headlight {
namespace {

/// On the screen that holds its middle; on the first where none does.
QRect keptOnScreen(const QRect& rect) {
  const QScreen* screen = QGuiApplication::screenAt(rect.center());
  if (!screen) screen = QGuiApplication::primaryScreen();
  if (!screen) return rect;
  const QRect room = screen->availableGeometry();
  const QSize size = rect.size().boundedTo(room.size());
  const int x = std::clamp(rect.x(), room.left(), room.right() + 1 - size.width());
  const int y = std::clamp(rect.y(), room.top(), room.bottom() + 1 - size.height());
  return {QPoint(x, y), size};
}

void keepOnScreens(LayoutPart& part) {
  if (part.floating) part.floating = keptOnScreen(*part.floating);
  for (LayoutPart& inner : part.parts)
    keepOnScreens(inner);
}

bool fillsScreen(const QWidget& window) {
  constexpr int kFrame = 48;
  const QSize room = window.screen()->availableSize();
  return window.width() > room.width() - 2 || window.height() + kFrame > room.height();
}

/// Puts down a dock that is dragged, at once: Qt may crash where docks are arranged meanwhile.
void endDrags(QMainWindow* window) {
  const bool isAnimated = window->isAnimated();
  window->setAnimated(false);
  for (QDockWidget* dock : window->findChildren<QDockWidget*>()) {
    const QPoint at = dock->rect().center();
    QMouseEvent release(QEvent::MouseButtonRelease, at, dock->mapToGlobal(at), Qt::LeftButton,
                        Qt::NoButton, Qt::NoModifier);
    QCoreApplication::sendEvent(dock, &release);
  }
  window->setAnimated(isAnimated);
}

}  // namespace

std::optional<WindowLayout> recordLayout(const QMainWindow& window) {
  const auto layout =
      guarded("the window", [&] { return layoutFromBytes(window.saveState(), "docks"); });
  if (layout) return *layout;
  const bool isDragged = QGuiApplication::mouseButtons() != Qt::NoButton;
  if (!isDragged) logError("The arrangement of the docks was not saved: " + layout.error().text());
  return std::nullopt;
}

bool arrangeDocks(QMainWindow* window, const WindowLayout& layout) {
  endDrags(window);
  WindowLayout here = layout;
  for (LayoutArea& area : here.areas)
    keepOnScreens(area.docks);
  const auto bytes = guarded("the window", [&] {
    requireSound(here, "docks");
    return layoutToBytes(here, window->saveState());
  });
  return bytes && window->restoreState(*bytes);
}

std::optional<WindowPlace> placeOf(const QWidget& window) {
  const auto place =
      guarded("the window", [&] { return placeFromBytes(window.saveGeometry(), "place"); });
  return place ? std::optional(*place) : std::nullopt;
}

void putAt(QWidget* window, const WindowPlace& place) {
  window->restoreGeometry(placeToBytes(place));
}

bool startsMaximized(const QWidget& window, const QString& sessionPath) {
  const bool isFirst = !sessionPath.isEmpty() && !QFileInfo::exists(sessionPath);
  return isFirst || fillsScreen(window);
}

}  // namespace headlight
