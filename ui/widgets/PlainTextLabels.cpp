// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/PlainTextLabels.h"

#include <QCoreApplication>
#include <QEvent>
#include <QLabel>

namespace headlight {

PlainTextLabels::PlainTextLabels(QObject* parent) : QObject(parent) {
  QCoreApplication::instance()->installEventFilter(this);
}

bool PlainTextLabels::eventFilter(QObject* watched, QEvent* event) {
  // Before it is first shown. Tool tips are labels too; plainToolTip() prepares them.
  if (event->type() != QEvent::Polish) return false;
  auto* label = qobject_cast<QLabel*>(watched);
  if (label && label->textFormat() == Qt::AutoText && !label->inherits("QTipLabel"))
    label->setTextFormat(Qt::PlainText);
  return false;
}

}  // namespace headlight
