// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The explorer of angular kernels, for the Model menu.

#include <QList>
#include <QObject>
#include <QPointer>

class QAction;
class QWidget;

namespace headlight {

class AnglesDialog;
class Document;
class ModelWorker;

class AnglesCommands : public QObject {
  Q_OBJECT
 public:
  AnglesCommands(Document* document, ModelWorker* inference, QWidget* window);

  const QList<QAction*>& commands() const { return m_commands; }

 private:
  void show();

  Document* m_document;
  ModelWorker* m_inference;
  QWidget* m_window;
  QPointer<AnglesDialog> m_dialog;  ///< null until it is wanted
  QList<QAction*> m_commands;
};

}  // namespace headlight
