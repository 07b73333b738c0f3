// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The menu bar, made from the list of commands.

class QMenuBar;

namespace headlight {

class Actions;

/// A menu a category, with submenus where it would be too long: view.tab.canvas, view.dock.masks.
void fillMenuBar(QMenuBar* bar, const Actions& actions);

}  // namespace headlight
