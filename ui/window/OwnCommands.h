#pragma once
// The mechanism's own pictures, for the Model menu: off where the mechanism has none.

#include <QList>
#include <QObject>
#include <QPointer>

class QAction;
class QWidget;

namespace headlight {

class Document;
class LookBridge;
class OwnBridge;
class OwnDialog;

class OwnCommands : public QObject {
  Q_OBJECT
 public:
  OwnCommands(Document* document, LookBridge* look, QWidget* window);

  const QList<QAction*>& commands() const { return m_commands; }
  OwnBridge* bridge() const { return m_bridge; }

 private:
  void show();
  void refresh();

  Document* m_document;
  QWidget* m_window;
  OwnBridge* m_bridge;
  QPointer<OwnDialog> m_dialog;  ///< null until it is wanted
  QAction* m_command;
  QList<QAction*> m_commands;
};

}  // namespace headlight
