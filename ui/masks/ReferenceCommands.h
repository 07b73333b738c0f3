// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Commands for the reference of comparisons: the masks before the last one, none, or a state that
// was pinned.

#include <QAction>
#include <QList>
#include <QObject>

namespace headlight {

class Document;

class ReferenceCommands : public QObject {
  Q_OBJECT
 public:
  ReferenceCommands(Document* document, QObject* parent);

  /// A choice of three, and pinning the state as it is: for the Masks menu and the prediction.
  const QList<QAction*>& commands() const { return m_commands; }

 private:
  void refresh();

  Document* m_document;
  QAction *m_lastEdit, *m_unmasked, *m_pinned, *m_pin;
  QList<QAction*> m_commands;
};

}  // namespace headlight
