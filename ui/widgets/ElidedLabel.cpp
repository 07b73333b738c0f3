// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/ElidedLabel.h"

#include <QHelpEvent>
#include <QPainter>
#include <QStyle>
#include <QToolTip>

#include <algorithm>

#include "ui/base/SanitizedText.h"

namespace headlight {
namespace {

constexpr int kLeastLetters = 8;

}  // namespace

QSize ElidedLabel::minimumSizeHint() const {
  const QSize whole = QLabel::minimumSizeHint();
  const int least = kLeastLetters * fontMetrics().averageCharWidth();
  return {std::min(whole.width(), least), whole.height()};
}

QString ElidedLabel::fitted() const {
  return fontMetrics().elidedText(text(), Qt::ElideMiddle, contentsRect().width());
}

bool ElidedLabel::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip || fitted() == text()) return QLabel::event(event);
  const QString whole = toolTip().isEmpty() ? text() : text() + QLatin1Char('\n') + toolTip();
  QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), plainToolTip(whole), this);
  return true;
}

void ElidedLabel::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  style()->drawItemText(&painter, contentsRect(), static_cast<int>(alignment()), palette(),
                        isEnabled(), fitted(), foregroundRole());
}

}  // namespace headlight
