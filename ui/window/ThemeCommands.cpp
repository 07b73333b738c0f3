// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/ThemeCommands.h"

#include <QActionGroup>

#include "ui/base/Actions.h"
#include "ui/base/Theme.h"

namespace headlight {
namespace {

QAction* themeCommand(Theme* theme, ThemeChoice choice, const QString& text, const QString& tip,
                      const QString& keys, QActionGroup* group) {
  QAction* action =
      makeCommand(group, {QStringLiteral("view.theme.") + themeName(choice), text, tip, keys, {}});
  action->setCheckable(true);
  action->setChecked(theme->choice() == choice);
  QObject::connect(action, &QAction::toggled, theme, [theme, choice](bool on) {
    if (on) theme->setChoice(choice);
  });
  group->addAction(action);
  QObject::connect(theme, &Theme::changed, action,
                   [action, theme, choice] { action->setChecked(theme->choice() == choice); });
  return action;
}

}  // namespace

QList<QAction*> themeCommands(Theme* theme, QObject* owner) {
  auto* group = new QActionGroup(owner);
  return {themeCommand(theme, ThemeChoice::System, QObject::tr("Theme: as the system"),
                       QObject::tr("Follow the light or dark theme of the desktop"), "Ctrl+J, 0",
                       group),
          themeCommand(theme, ThemeChoice::Light, QObject::tr("Theme: light"),
                       QObject::tr("Dark text on a light background"), "Ctrl+J, 1", group),
          themeCommand(theme, ThemeChoice::Dark, QObject::tr("Theme: dark"),
                       QObject::tr("Light text on a dark background"), "Ctrl+J, 2", group)};
}

}  // namespace headlight
