// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/FieldKeys.h"

#include <QAbstractSpinBox>
#include <QComboBox>
#include <QCoreApplication>
#include <QKeyEvent>
#include <QLineEdit>

#include "ui/base/Actions.h"

namespace headlight {
namespace {

bool isField(const QObject* object) {
  return qobject_cast<const QLineEdit*>(object) || qobject_cast<const QAbstractSpinBox*>(object) ||
         qobject_cast<const QComboBox*>(object);
}

/// Undo and redo are the field's while it has something to undo or redo.
bool editsText(const QObject* field, const QKeyEvent& event) {
  for (const auto key :
       {QKeySequence::Copy, QKeySequence::Cut, QKeySequence::Paste, QKeySequence::SelectAll})
    if (event.matches(key)) return true;
  const auto* line = qobject_cast<const QLineEdit*>(field);
  if (!line) line = field->findChild<QLineEdit*>();
  if (!line) return false;
  return (event.matches(QKeySequence::Undo) && line->isUndoAvailable()) ||
         (event.matches(QKeySequence::Redo) && line->isRedoAvailable());
}

bool isTyped(const QKeyEvent& event) {
  const bool function = event.key() >= Qt::Key_F1 && event.key() <= Qt::Key_F35;
  return !function &&
         !(event.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier));
}

}  // namespace

FieldKeys::FieldKeys(const Actions* actions, QWidget* window)
    : QObject(window), m_actions(actions), m_window(window) {
  QCoreApplication::instance()->installEventFilter(this);
}

bool FieldKeys::isCommand(const QKeyEvent& event) const {
  const QKeySequence keys(event.keyCombination());
  for (const Command& command : m_actions->commands())
    if (command.action->isEnabled() &&
        command.action->shortcutContext() != Qt::WidgetWithChildrenShortcut &&
        keys.matches(command.action->shortcut()) != QKeySequence::NoMatch)
      return true;
  return false;
}

bool FieldKeys::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::ShortcutOverride || !isField(watched)) return false;
  const auto& key = *static_cast<QKeyEvent*>(event);
  if (static_cast<QWidget*>(watched)->window() != m_window || isTyped(key) ||
      editsText(watched, key) || !isCommand(key))
    return false;
  event->ignore();  // what nobody claims here is a command's
  return true;
}

}  // namespace headlight
