// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The right button: commands of the menus that belong to what is under it.

class QWidget;

namespace headlight {

class Actions;
class Docks;
class ImageTabs;

/// Menus of the canvas, the heads (page and dock) and the prediction.
void addContextMenus(const Actions* actions, const ImageTabs* tabs, const Docks* docks);

}  // namespace headlight
