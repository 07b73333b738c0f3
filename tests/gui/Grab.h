// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Images of a widget, light and dark, for people who look at what changed: run a test with
// HEADLIGHT_GRABS=FOLDER. Without it nothing is done.

#include <QApplication>
#include <QDir>
#include <QWidget>

#include "tests/gui/Idle.h"
#include "ui/base/Resources.h"
#include "ui/base/Theme.h"

namespace headlight::synthetic {

/// FOLDER/NAME-light.png and NAME-dark.png.
inline void saveGrabs(QWidget& widget, const QString& name) {
  const QString folder = qEnvironmentVariable("HEADLIGHT_GRABS");
  if (folder.isEmpty()) return;
  QDir().mkpath(folder);
  initializeHeadlightResources();
  Theme theme;
  for (const ThemeChoice choice : {ThemeChoice::Light, ThemeChoice::Dark}) {
    theme.setChoice(choice);
    untilIdle();  // queued replots
    widget.grab().save(QStringLiteral("%1/%2-%3.png").arg(folder, name, themeName(choice)));
  }
  theme.setChoice(ThemeChoice::Light);
}

}  // namespace headlight::synthetic
