// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/base/Actions.h"

#include <QWidget>

#include "ui/base/Icons.h"

namespace headlight {
namespace {

/// "`Ctrl+2` or `F2`", in portable text: the same page on every system.
QString keysCell(const QAction& action) {
  QStringList keys;
  for (const QKeySequence& each : action.shortcuts())
    keys << QStringLiteral("`%1`").arg(each.toString(QKeySequence::PortableText));
  return keys.join(QStringLiteral(" or "));
}

}  // namespace

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
  if (!words.keys.isEmpty()) action->setShortcuts(QKeySequence::listFromString(words.keys));
  if (!words.icon.isEmpty()) action->setIcon(lineIcon(words.icon));
  if (run) QObject::connect(action, &QAction::triggered, owner, [run = std::move(run)] { run(); });
  return action;
}

Actions::Actions(QWidget* host) : QObject(host), m_host(host) {}

void Actions::adopt(const QString& category, const QList<QAction*>& actions) {
  for (QAction* action : actions) {
    m_host->addAction(action);
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
      // The tip of a disabled command says why; its status tip then says what it does.
      const QString& does = command.action->statusTip();
      const QString tip = does.isEmpty() ? command.action->toolTip() : does;
      table +=
          QStringLiteral("| %1 | %2 | %3 |\n").arg(command.text(), keysCell(*command.action), tip);
    }
    table += QLatin1Char('\n');
  }
  return table;
}

}  // namespace headlight
