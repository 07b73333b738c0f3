// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The arrangement of the window and its docks, as stored in sessions: taken from the
// window, and given to it.

#include <optional>

#include "ui/document/WindowLayout.h"

class QMainWindow;
class QWidget;

namespace headlight {

/// Nothing while a dock is dragged, or where this Qt saves it in a way that is not known here.
std::optional<WindowLayout> recordLayout(const QMainWindow& window);
/// False, and nothing is changed, where `layout` is not sound or Qt does not take it. Docks that
/// float are kept on the screens that there are.
bool arrangeDocks(QMainWindow* window, const WindowLayout& layout);

std::optional<WindowPlace> placeOf(const QWidget& window);
/// Within the screens that there are.
void putAt(QWidget* window, const WindowPlace& place);

/// At the first start, before there is the session's file, and where the window's size leaves no
/// room for the frame of the window manager. An empty path: there is no session.
bool startsMaximized(const QWidget& window, const QString& sessionPath);

}  // namespace headlight
