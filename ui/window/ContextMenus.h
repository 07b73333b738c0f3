// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The right button: commands of the menus that belong to what is under it.

class QWidget;

namespace headlight {

class Actions;
class Docks;
class PictureTabs;

/// Of the canvas, of all heads as a page and as a dock, and of the prediction.
void addContextMenus(const Actions* actions, const PictureTabs* tabs, const Docks* docks);

}  // namespace headlight
