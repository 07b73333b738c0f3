// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/ListKeys.h"

#include <QCoreApplication>
#include <QKeyEvent>
#include <QWidget>

namespace headlight {
namespace {

bool movesInList(const QKeyEvent& event) {
  switch (event.key()) {
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_PageUp:
    case Qt::Key_PageDown:
      return true;
  }
  return false;
}

}  // namespace

ListKeys::ListKeys(QWidget* field, QWidget* list) : QObject(field), m_field(field), m_list(list) {
  field->installEventFilter(this);
}

bool ListKeys::eventFilter(QObject* watched, QEvent* event) {
  if (watched != m_field || event->type() != QEvent::KeyPress ||
      !movesInList(*static_cast<QKeyEvent*>(event)))
    return QObject::eventFilter(watched, event);
  m_list->setFocus();
  QCoreApplication::sendEvent(m_list, event);
  return true;
}

}  // namespace headlight
