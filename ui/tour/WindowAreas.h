// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Places of widgets in the coordinates of their main window.

#include <QRect>

class QMainWindow;
class QWidget;

namespace headlight {

/// `part` of a widget within `window`.
QRect findArea(const QWidget* widget, const QRect& part, const QMainWindow* window);
/// Between the menu bar and the status bar, with a margin.
QRect findFreeArea(const QMainWindow* window);

}  // namespace headlight
