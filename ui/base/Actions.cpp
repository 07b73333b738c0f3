// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/base/Actions.h"

#include <QWidget>

#include "ui/base/Icons.h"

namespace headlight {

QString Command::text() const {
  QString text = action->text();
  text.remove(QLatin1Char('&'));
  if (text.endsWith(QStringLiteral("…"))) text.chop(1);
  return text;
}

QAction* makeCommand(QObject* owner, const CommandWords& words, std::function<void()> run) {
  auto* action = new QAction(words.text, owner);
  action->setObjectName(words.id);
  action->setToolTip(words.tip);
  if (!words.keys.isEmpty()) action->setShortcut(QKeySequence(words.keys));
  if (!words.icon.isEmpty()) action->setIcon(lineIcon(words.icon));
  if (run) QObject::connect(action, &QAction::triggered, owner, [run = std::move(run)] { run(); });
  return action;
}

void limitTo(QWidget* scope, QAction* action) {
  action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  scope->addAction(action);
}

Actions::Actions(QWidget* host) : QObject(host), m_host(host) {}

void Actions::adopt(const QString& category, const QList<QAction*>& actions) {
  for (QAction* action : actions) {
    if (action->shortcutContext() != Qt::WidgetWithChildrenShortcut) m_host->addAction(action);
    m_commands.append({category, action});
  }
}

QAction* Actions::find(const QString& id) const {
  for (const Command& command : m_commands)
    if (command.id() == id) return command.action;
  return nullptr;
}

QStringList Actions::categories() const {
  QStringList categories;
  for (const Command& command : m_commands)
    if (!categories.contains(command.category)) categories << command.category;
  return categories;
}

QString Actions::shortcutTable() const {
  QString table;
  for (const QString& category : categories()) {
    table +=
        QStringLiteral("## %1\n\n| Command | Keys | What it does |\n|---|---|---|\n").arg(category);
    for (const Command& command : m_commands) {
      if (command.category != category) continue;
      // Portable text: the same page on every system. A bar would end the cell.
      const QString keys = command.action->shortcut().toString(QKeySequence::PortableText);
      // Where a command cannot be used now its tip says why; what it does stands in the other.
      const QString& does = command.action->statusTip();
      const QString tip = does.isEmpty() ? command.action->toolTip() : does;
      table += QStringLiteral("| %1 | %2 | %3 |\n")
                   .arg(command.text(),
                        keys.isEmpty() ? QString() : QStringLiteral("`%1`").arg(keys), tip);
    }
    table += QLatin1Char('\n');
  }
  return table;
}

}  // namespace headlight
