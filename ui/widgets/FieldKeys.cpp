// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/FieldKeys.h"

#include <QAbstractSpinBox>
#include <QComboBox>
#include <QCoreApplication>
#include <QDockWidget>
#include <QKeyEvent>
#include <QLineEdit>

#include <algorithm>

#include "ui/base/Actions.h"

namespace headlight {
namespace {

const QLineEdit* lineIn(const QObject* field) {
  const auto* line = qobject_cast<const QLineEdit*>(field);
  return line ? line : field->findChild<QLineEdit*>();
}

/// Undo and redo are the field's while it has something to undo or redo.
bool editsText(const QObject* field, const QKeyEvent& event) {
  for (const auto key :
       {QKeySequence::Copy, QKeySequence::Cut, QKeySequence::Paste, QKeySequence::SelectAll})
    if (event.matches(key)) return true;
  const auto* line = lineIn(field);
  if (!line) return false;
  return (event.matches(QKeySequence::Undo) && line->isUndoAvailable()) ||
         (event.matches(QKeySequence::Redo) && line->isRedoAvailable());
}

bool isPlainKey(const QKeyEvent& event) {
  const bool function = event.key() >= Qt::Key_F1 && event.key() <= Qt::Key_F35;
  return !function &&
         !(event.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier));
}

/// Also the first of several.
bool isOneOf(const QKeySequence& keys, const QList<QKeySequence>& shortcuts) {
  return std::any_of(shortcuts.begin(), shortcuts.end(), [&](const QKeySequence& each) {
    return keys.matches(each) != QKeySequence::NoMatch;
  });
}

/// The text that a spin box would have with what the key types.
bool accepts(const QAbstractSpinBox& box, const QString& typed) {
  const QLineEdit* line = lineIn(&box);
  QString text = line->text();
  const qsizetype at = line->hasSelectedText() ? line->selectionStart() : line->cursorPosition();
  text.replace(at, line->selectedText().size(), typed);
  int position = static_cast<int>(at + typed.size());
  return box.validate(text, position) != QValidator::Invalid;
}

}  // namespace

bool isField(const QObject* object) {
  return qobject_cast<const QLineEdit*>(object) || qobject_cast<const QAbstractSpinBox*>(object) ||
         qobject_cast<const QComboBox*>(object);
}

bool isTyped(const QObject* field, const QKeyEvent& event) {
  if (!isPlainKey(event) || !lineIn(field)) return false;
  const auto* box = qobject_cast<const QAbstractSpinBox*>(field);
  const bool character = !event.text().isEmpty() && event.text().front().isPrint();
  return !box || !character || accepts(*box, event.text());
}

bool isInWindow(const QWidget* widget, const QWidget* window) {
  const QWidget* top = widget->window();
  return top == window || (qobject_cast<const QDockWidget*>(top) && top->parent() == window);
}

FieldKeys::FieldKeys(const Actions* actions, QWidget* window)
    : QObject(window), m_actions(actions), m_window(window) {
  QCoreApplication::instance()->installEventFilter(this);
}

bool FieldKeys::isCommand(const QKeyEvent& event) const {
  const QKeySequence keys(event.keyCombination());
  for (const Command& command : m_actions->commands())
    if (command.action->isEnabled() && isOneOf(keys, command.action->shortcuts())) return true;
  return false;
}

bool FieldKeys::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::ShortcutOverride || !isField(watched)) return false;
  const auto& key = *static_cast<QKeyEvent*>(event);
  if (!isInWindow(static_cast<QWidget*>(watched), m_window) || isTyped(watched, key) ||
      editsText(watched, key) || !isCommand(key))
    return false;
  // A number that was typed counts before the command does.
  if (auto* box = qobject_cast<QAbstractSpinBox*>(watched)) box->interpretText();
  event->ignore();  // unclaimed keys belong to commands
  return true;
}

}  // namespace headlight
