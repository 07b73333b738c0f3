// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Every command of the window by name. The parts of the window make them, with words and keys, and
// hand them over; the menus, the command palette and the list of shortcuts in the help are made
// from this one list.

#include <QAction>
#include <QKeySequence>
#include <QList>
#include <QObject>
#include <QString>
#include <QStringList>

#include <functional>

namespace headlight {

struct CommandWords {
  QString id;         ///< "file.open": the action's objectName
  QString text, tip;  ///< text with the accelerator's mark
  QString keys;       ///< as people write them: "Ctrl+Shift+S", "Ctrl+2; F2"; empty: none
  QString icon;       ///< of lineIcon; empty: none
};

/// A command of `owner` as a part of the window hands it over.
QAction* makeCommand(QObject* owner, const CommandWords& words, std::function<void()> run = {});

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

  /// Takes in what a part of the window made; it keeps its owner.
  void adopt(const QString& category, const QList<QAction*>& actions);

  const QList<Command>& commands() const { return m_commands; }
  QAction* find(const QString& id) const;  ///< null if there is none
  QStringList categories() const;          ///< in the order of first use

  /// A Markdown table of every command, by category.
  QString shortcutTable() const;

 private:
  QWidget* m_host;
  QList<Command> m_commands;
};

}  // namespace headlight
