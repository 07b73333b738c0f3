#include "ui/window/Menus.h"

#include <QMenu>
#include <QMenuBar>

#include "ui/base/Actions.h"

namespace headlight {

void fillMenuBar(QMenuBar* bar, const Actions& actions) {
  for (const QString& category : actions.categories()) {
    QMenu* menu = bar->addMenu(QLatin1Char('&') + category);
    menu->setToolTipsVisible(true);
    QString group;
    for (const Command& command : actions.commands()) {
      if (command.category != category) continue;
      const QStringList parts = command.id().split(QLatin1Char('.'));
      const QString now = parts.size() > 2 ? parts[1] : QString();
      if (now != group && !menu->isEmpty()) menu->addSeparator();
      group = now;
      if (command.id() == QStringLiteral("file.quit")) menu->addSeparator();
      menu->addAction(command.action);
    }
  }
}

}  // namespace headlight
