#pragma once
// Every command of the window by name. The menus, the command palette and the list of shortcuts in
// the help are made from this one list.

#include <QAction>
#include <QKeySequence>
#include <QList>
#include <QObject>
#include <QString>
#include <QStringList>

#include <functional>

namespace headlight {

/// A shortcut as people write it: "Ctrl+Shift+S".
inline QKeySequence keys(const char* text) {
  return QKeySequence(QLatin1String(text));
}

struct Command {
  QString category;  ///< the menu: "File", "Edit", …
  QAction* action = nullptr;
  QString id() const { return action->objectName(); }  ///< "file.open"
  /// "Hard masks everywhere" as people read it, without the accelerator's mark.
  QString text() const;
};

class Actions : public QObject {
  Q_OBJECT
 public:
  /// `host` gets the actions, so that their shortcuts work in its window.
  explicit Actions(QWidget* host);

  QAction* add(const QString& category, const QString& id, const QString& text, const QString& tip,
               const QKeySequence& shortcut, std::function<void()> run);
  /// `toggled` is called by the user's toggling and by setChecked alike.
  QAction* addToggle(const QString& category, const QString& id, const QString& text,
                     const QString& tip, const QKeySequence& shortcut, bool checked,
                     std::function<void(bool)> toggled);
  /// Takes in an action that a widget made; it keeps its text, tooltip and owner.
  void adopt(const QString& category, const QString& id, QAction* action,
             const QKeySequence& shortcut);
  /// Single keys work only while the focus is inside `scope`, so that they can be typed elsewhere.
  void limitTo(const QString& id, QWidget* scope);

  const QList<Command>& commands() const { return m_commands; }
  QAction* find(const QString& id) const;  ///< null if there is none
  QStringList categories() const;          ///< in the order of first use

  /// A Markdown table of every command, by category.
  QString shortcutTable() const;

 private:
  void take(const QString& category, const QString& id, QAction* action,
            const QKeySequence& shortcut);

  QWidget* m_host;
  QList<Command> m_commands;
};

}  // namespace headlight
