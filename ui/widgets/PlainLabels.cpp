#include "ui/widgets/PlainLabels.h"

#include <QCoreApplication>
#include <QEvent>
#include <QLabel>

namespace headlight {

PlainLabels::PlainLabels(QObject* parent) : QObject(parent) {
  QCoreApplication::instance()->installEventFilter(this);
}

bool PlainLabels::eventFilter(QObject* watched, QEvent* event) {
  // Before it is first shown. Tool tips, labels too, are told by plainTip().
  if (event->type() != QEvent::Polish) return false;
  auto* label = qobject_cast<QLabel*>(watched);
  if (label && label->textFormat() == Qt::AutoText && !label->inherits("QTipLabel"))
    label->setTextFormat(Qt::PlainText);
  return false;
}

}  // namespace headlight
