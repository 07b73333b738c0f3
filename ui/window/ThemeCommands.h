// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Light, dark or as the system, for the View menu.

#include <QList>

class QAction;
class QObject;

namespace headlight {

class Theme;

/// Checkable, exclusive, in step with the theme; owned by `owner`.
QList<QAction*> themeCommands(Theme* theme, QObject* owner);

}  // namespace headlight
