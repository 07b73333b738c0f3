#include "ui/base/Actions.h"

#include <QWidget>

namespace headlight {

QString Command::text() const {
  QString text = action->text();
  text.remove(QLatin1Char('&'));
  if (text.endsWith(QStringLiteral("…"))) text.chop(1);
  return text;
}

Actions::Actions(QWidget* host) : QObject(host), m_host(host) {}

QAction* Actions::add(const QString& category, const QString& id, const QString& text,
                      const QString& tip, const QKeySequence& shortcut, std::function<void()> run) {
  auto* action = new QAction(text, m_host);
  action->setToolTip(tip);
  connect(action, &QAction::triggered, this, [run = std::move(run)] { run(); });
  take(category, id, action, shortcut);
  return action;
}

QAction* Actions::addToggle(const QString& category, const QString& id, const QString& text,
                            const QString& tip, const QKeySequence& shortcut, bool checked,
                            std::function<void(bool)> toggled) {
  auto* action = new QAction(text, m_host);
  action->setToolTip(tip);
  action->setCheckable(true);
  action->setChecked(checked);
  connect(action, &QAction::toggled, this, std::move(toggled));
  take(category, id, action, shortcut);
  return action;
}

void Actions::adopt(const QString& category, const QString& id, QAction* action,
                    const QKeySequence& shortcut) {
  take(category, id, action, shortcut);
}

void Actions::take(const QString& category, const QString& id, QAction* action,
                   const QKeySequence& shortcut) {
  action->setObjectName(id);
  if (!shortcut.isEmpty()) action->setShortcut(shortcut);
  m_host->addAction(action);
  m_commands.append({category, action});
}

void Actions::limitTo(const QString& id, QWidget* scope) {
  QAction* action = find(id);
  m_host->removeAction(action);
  action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  scope->addAction(action);
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
      const QString tip = command.action->toolTip();
      table += QStringLiteral("| %1 | %2 | %3 |\n")
                   .arg(command.text(),
                        keys.isEmpty() ? QString() : QStringLiteral("`%1`").arg(keys), tip);
    }
    table += QLatin1Char('\n');
  }
  return table;
}

}  // namespace headlight
