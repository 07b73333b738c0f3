// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workspace/ImageKeys.h"

#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMainWindow>
#include <QScopedValueRollback>
#include <QSpinBox>

#include "ui/widgets/FieldKeys.h"
#include "ui/workspace/ImageTabs.h"

namespace headlight {
namespace {

bool leavesField(const QKeyEvent& event) {
  if (event.modifiers() & ~Qt::KeypadModifier) return false;
  return event.key() == Qt::Key_Escape || event.key() == Qt::Key_Return ||
         event.key() == Qt::Key_Enter;
}

/// Esc: what was typed and not taken yet is dropped.
void dropTyped(QWidget* field) {
  if (auto* whole = qobject_cast<QSpinBox*>(field)) whole->setValue(whole->value());
  if (auto* number = qobject_cast<QDoubleSpinBox*>(field)) number->setValue(number->value());
  if (auto* box = qobject_cast<QComboBox*>(field); box && box->isEditable())
    box->setEditText(box->itemText(box->currentIndex()));
}

/// A character without Ctrl or Alt; Space presses what has the focus.
bool isCharacter(const QKeyEvent& event) {
  const QString text = event.text();
  return !(event.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier)) &&
         text.size() == 1 && text[0].isPrint() && event.key() != Qt::Key_Space;
}

/// Lists and boxes search by typed characters; a spin box refuses those that are no number.
bool wastesCharacter(const QWidget* widget, const QKeyEvent& event) {
  if (qobject_cast<const QAbstractItemView*>(widget)) return true;
  return isField(widget) && !isTyped(widget, event);
}

}  // namespace

ImageKeys::ImageKeys(QMainWindow* window, ImageTabs* tabs)
    : QObject(window), m_window(window), m_tabs(tabs) {
  QCoreApplication::instance()->installEventFilter(this);
}

/// What a key does is asked where it arrives first, and again where it arrives last: at the window
/// or at a dock that floats.
bool ImageKeys::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::KeyPress || m_sending) return false;
  auto* widget = qobject_cast<QWidget*>(watched);
  if (!widget || !isInWindow(widget, m_window)) return false;
  auto* key = static_cast<QKeyEvent*>(event);
  if (widget->isWindow()) return handleUnclaimed(key);
  return widget == QApplication::focusWidget() && isCharacter(*key) &&
         wastesCharacter(widget, *key) && sendToImage(key);
}

bool ImageKeys::handleUnclaimed(QKeyEvent* event) {
  QWidget* focus = QApplication::focusWidget();
  if (!focus || !isField(focus)) return sendToImage(event);
  if (!leavesField(*event)) return false;
  if (event->key() == Qt::Key_Escape) dropTyped(focus);
  m_tabs->focusPage();
  event->accept();
  return true;
}

bool ImageKeys::sendToImage(QKeyEvent* event) {
  QWidget* target = m_tabs->keyTarget();
  if (target == QApplication::focusWidget() || event->key() == Qt::Key_Space) return false;
  const QScopedValueRollback<bool> sending(m_sending, true);
  event->accept();
  QCoreApplication::sendEvent(target, event);
  return event->isAccepted();
}

}  // namespace headlight
