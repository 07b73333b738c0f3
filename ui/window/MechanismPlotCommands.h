// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The mechanism's own images, for the Model menu: off where the mechanism has none.

#include <QList>
#include <QObject>
#include <QPointer>

class QAction;
class QWidget;

namespace headlight {

class Document;
class ModelWorker;
class MechanismPlotBridge;
class MechanismPlotDialog;

class MechanismPlotCommands : public QObject {
  Q_OBJECT
 public:
  MechanismPlotCommands(Document* document, ModelWorker* inference, QWidget* window);

  const QList<QAction*>& commands() const { return m_commands; }
  MechanismPlotBridge* bridge() const { return m_bridge; }

 private:
  void show();
  void refresh();

  Document* m_document;
  QWidget* m_window;
  MechanismPlotBridge* m_bridge;
  QPointer<MechanismPlotDialog> m_dialog;  ///< null until it is wanted
  QAction* m_command;
  QList<QAction*> m_commands;
};

}  // namespace headlight
