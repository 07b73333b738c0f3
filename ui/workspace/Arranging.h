// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How the window and its docks stand, as the description that sessions carry: taken from the
// window, and given to it.

#include <optional>

#include "ui/document/WindowLayout.h"

class QMainWindow;
class QWidget;

namespace headlight {

/// Nothing while a dock is dragged, or where this Qt saves it in a way that is not known here.
std::optional<WindowLayout> layoutOf(const QMainWindow& window);
/// False, and nothing is changed, where `layout` is not sound or Qt does not take it. Docks that
/// float are kept on the screens that there are.
bool arrangeDocks(QMainWindow* window, const WindowLayout& layout);

std::optional<WindowPlace> placeOf(const QWidget& window);
/// Within the screens that there are.
void putAt(QWidget* window, const WindowPlace& place);

}  // namespace headlight
