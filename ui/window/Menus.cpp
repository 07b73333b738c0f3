// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/Menus.h"

#include <QMenu>
#include <QMenuBar>

#include "ui/base/Actions.h"

namespace headlight {
namespace {

/// Choices among many, by the second word of their ids.
QString submenuOf(const QString& group) {
  if (group == QStringLiteral("dock")) return QObject::tr("&Docks");
  if (group == QStringLiteral("colors")) return QObject::tr("&Colours");
  if (group == QStringLiteral("theme")) return QObject::tr("&Theme");
  if (group == QStringLiteral("way")) return QObject::tr("&Ways of looking");
  if (group == QStringLiteral("video")) return QObject::tr("&Video");
  return {};
}

bool beginsGroup(const QString& id) {
  static const QStringList ids{"file.quit", "view.overlay", "view.zoomIn"};
  return ids.contains(id);
}

}  // namespace

void fillMenuBar(QMenuBar* bar, const Actions& actions) {
  for (const QString& category : actions.categories()) {
    QMenu* menu = bar->addMenu(QLatin1Char('&') + category);
    menu->setToolTipsVisible(true);
    QString group;
    QMenu* place = menu;
    for (const Command& command : actions.commands()) {
      if (command.category != category) continue;
      const QStringList parts = command.id().split(QLatin1Char('.'));
      const QString now = parts.size() > 2 ? parts[1] : QString();
      const bool another = now != group;
      group = now;
      if ((another && !menu->isEmpty()) || beginsGroup(command.id())) menu->addSeparator();
      if (another) {
        const QString submenu = submenuOf(now);
        place = submenu.isEmpty() ? menu : menu->addMenu(submenu);
        place->setToolTipsVisible(true);
      }
      place->addAction(command.action);
    }
  }
}

}  // namespace headlight
