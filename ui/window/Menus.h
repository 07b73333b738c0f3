// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The menu bar, made from the list of commands.

class QMenuBar;

namespace headlight {

class Actions;

/// A menu a category; view.tab.canvas, view.dock.masks, view.colors.jet: each kind stands apart.
void fillMenuBar(QMenuBar* bar, const Actions& actions);

}  // namespace headlight
