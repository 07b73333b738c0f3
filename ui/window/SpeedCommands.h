// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The tables of speed, for the Model menu.

#include <QList>
#include <QObject>
#include <QPointer>

class QAction;
class QWidget;

namespace headlight {

class Document;
class SpeedDialog;

class SpeedCommands : public QObject {
  Q_OBJECT
 public:
  SpeedCommands(const Document* document, QWidget* window);

  const QList<QAction*>& commands() const { return m_commands; }

 private:
  void show();

  const Document* m_document;
  QWidget* m_window;
  QPointer<SpeedDialog> m_dialog;  ///< null until it is wanted
  QList<QAction*> m_commands;
};

}  // namespace headlight
