// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Commands work while a field has the focus: F1 to F12 and what is typed with Ctrl or Alt belong to
// them, but for what edits the field's text. Qt's fields take some of those keys for themselves.

#include <QObject>

class QKeyEvent;
class QWidget;

namespace headlight {

class Actions;

class FieldKeys : public QObject {
 public:
  /// For every field of `window`; both outlive it.
  FieldKeys(const Actions* actions, QWidget* window);
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  bool isCommand(const QKeyEvent& event) const;

  const Actions* m_actions;
  QWidget* m_window;
};

}  // namespace headlight
