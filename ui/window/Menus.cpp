// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/Menus.h"

#include <QHash>
#include <QMenu>
#include <QMenuBar>

#include <array>

#include "ui/base/Actions.h"

namespace headlight {
namespace {

struct Submenu {
  const char *ids, *title;  ///< the beginnings of its ids, with spaces between them
};

/// So many that a menu would need several columns for them.
constexpr std::array kSubmenus{
    Submenu{"view.tab.", QT_TRANSLATE_NOOP("QObject", "&Tabs")},
    Submenu{"view.compare.", QT_TRANSLATE_NOOP("QObject", "&Sides of Compare")},
    Submenu{"view.way.", QT_TRANSLATE_NOOP("QObject", "E&xplanations")},
    Submenu{"view.headsByDepth view.attentionByOffset view.headsOverImages view.faithfulness "
            "view.interventions view.queryKeyMap",
            QT_TRANSLATE_NOOP("QObject", "&Plots")},
    Submenu{"view.video.", QT_TRANSLATE_NOOP("QObject", "&Video")},
    Submenu{"view.dock.", QT_TRANSLATE_NOOP("QObject", "&Docks")},
    Submenu{"view.nextLayer view.previousLayer view.nextHead view.previousHead view.classToken "
            "view.nextShown",
            QT_TRANSLATE_NOOP("QObject", "&Layer, head and token")},
    Submenu{"view.overlay view.smooth view.sharedRange view.moreOpaque view.lessOpaque "
            "view.nextStyle view.style. view.mask view.objectBoxes view.trueBoxes "
            "view.moreSegments view.lessSegments view.moreBoxes view.fewerBoxes",
            QT_TRANSLATE_NOOP("QObject", "&Map")},
    Submenu{"view.zoom", QT_TRANSLATE_NOOP("QObject", "&Zoom")},
    Submenu{"view.colors.", QT_TRANSLATE_NOOP("QObject", "&Colors")},
    Submenu{"view.theme.", QT_TRANSLATE_NOOP("QObject", "T&heme")},
};

/// Empty: it stands in the menu itself.
QString submenuTitle(const QString& id) {
  for (const Submenu& submenu : kSubmenus)
    for (const QString& beginning : QString::fromLatin1(submenu.ids).split(QLatin1Char(' ')))
      if (id.startsWith(beginning)) return QObject::tr(submenu.title);
  return {};
}

/// "way" of "view.way.rollout": a line parts those from others.
QString entryGroup(const QString& id) {
  const QStringList parts = id.split(QLatin1Char('.'));
  return parts.size() > 2 || id == QStringLiteral("file.quit") ? parts[1] : QString();
}

/// A menu of the bar with its submenus, in the order of their first entries.
class MenuFiller {
 public:
  explicit MenuFiller(QMenu* menu) : m_menu(menu) { menu->setToolTipsVisible(true); }

  void add(QAction* action) {
    const QString title = submenuTitle(action->objectName());
    QMenu* place = title.isEmpty() ? m_menu : submenu(title);
    separate(place, entryGroup(action->objectName()));
    place->addAction(action);
  }

 private:
  QMenu* submenu(const QString& title) {
    if (QMenu* there = m_submenus.value(title)) return there;
    separate(m_menu, QStringLiteral("submenus"));
    QMenu* made = m_menu->addMenu(title);
    made->setToolTipsVisible(true);
    return m_submenus[title] = made;
  }
  void separate(QMenu* place, const QString& group) {
    if (!place->isEmpty() && m_groups.value(place) != group) place->addSeparator();
    m_groups[place] = group;
  }

  QMenu* m_menu;
  QHash<QString, QMenu*> m_submenus;
  QHash<QMenu*, QString> m_groups;  ///< of the newest entry
};

}  // namespace

void fillMenuBar(QMenuBar* bar, const Actions& actions) {
  for (const QString& category : actions.categories()) {
    MenuFiller filler(bar->addMenu(QLatin1Char('&') + category));
    for (const Command& command : actions.commands())
      if (command.category == category) filler.add(command.action);
  }
}

}  // namespace headlight
