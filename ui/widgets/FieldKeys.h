// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Commands work while a field has the focus: F1 to F12, what is typed with Ctrl or Alt, and
// characters that the field does not accept belong to them, but for what edits the field's text.
// Qt's fields take some of those keys for themselves.

#include <QObject>

class QKeyEvent;
class QWidget;

namespace headlight {

class Actions;

/// A line to type in, a spin box or a combo box.
bool isField(const QObject* object);
/// Whether the key is text of this field: a letter is none of a spin box for numbers.
bool isTyped(const QObject* field, const QKeyEvent& event);

/// In the window itself or in one of its floating docks; its dialogs are others.
bool isInWindow(const QWidget* widget, const QWidget* window);

class FieldKeys : public QObject {
 public:
  /// For every field of `window` and of its floating docks; both outlive it.
  FieldKeys(const Actions* actions, QWidget* window);
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  bool isCommand(const QKeyEvent& event) const;

  const Actions* m_actions;
  QWidget* m_window;
};

}  // namespace headlight
