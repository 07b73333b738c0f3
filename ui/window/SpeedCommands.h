// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How fast this machine is, and whether it computes right, for the Model menu.

#include <QList>
#include <QObject>
#include <QPointer>

class QAction;
class QWidget;

namespace headlight {

class Document;
class SelfTestDialog;
class SpeedDialog;

class SpeedCommands : public QObject {
  Q_OBJECT
 public:
  SpeedCommands(const Document* document, QWidget* window);

  const QList<QAction*>& commands() const { return m_commands; }

 private:
  void showSpeed();
  void showSelfTest();

  const Document* m_document;
  QWidget* m_window;
  // Null until they are wanted.
  QPointer<SpeedDialog> m_speed;
  QPointer<SelfTestDialog> m_selfTest;
  QList<QAction*> m_commands;
};

}  // namespace headlight
