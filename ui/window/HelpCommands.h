// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Commands to read the help pages, the messages so far, about the model and about the program.

#include <QList>
#include <QObject>
#include <QPointer>

class QAction;

namespace headlight {

class Actions;
class Document;
class HelpBrowser;
class MessageLog;

class HelpCommands : public QObject {
  Q_OBJECT
 public:
  HelpCommands(Document* document, const Actions* actions, MessageLog* log, QWidget* window);

  /// "index", "masks", …: the window of help with this page.
  HelpBrowser* showPage(const QString& page);

  /// About this model, for the Model menu.
  QList<QAction*> modelCommands() const { return {m_aboutModel}; }
  /// For the Help menu.
  const QList<QAction*>& commands() const { return m_commands; }

 private:
  const Actions* m_actions;
  QWidget* m_window;
  QPointer<HelpBrowser> m_browser;  ///< null until it is wanted
  QAction* m_aboutModel;
  QList<QAction*> m_commands;
};

}  // namespace headlight
