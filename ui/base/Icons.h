// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Our own line icons, in the color of the text beside them: light and dark need one drawing.

#include <QIcon>
#include <QString>

namespace headlight {

/// resources/icons/NAME.svg, whose `currentColor` is replaced by the palette's text color each
/// time it is painted. An unknown name gives an empty icon.
QIcon lineIcon(const QString& name);

/// The program's icon, in its own colors.
QIcon applicationIcon();

}  // namespace headlight
