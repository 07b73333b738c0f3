// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/ToolTipWrapping.h"

#include <QCoreApplication>
#include <QHelpEvent>
#include <QPointer>
#include <QTextLayout>
#include <QTimer>
#include <QToolTip>
#include <QWidget>

namespace headlight {
namespace {

constexpr int kTipLetters = 60;

QStringList folded(const QString& line, int width) {
  QTextLayout layout(line, QToolTip::font());
  QTextOption option;
  option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
  layout.setTextOption(option);
  layout.beginLayout();
  QStringList lines;
  for (QTextLine part = layout.createLine(); part.isValid(); part = layout.createLine()) {
    part.setLineWidth(width);
    lines << line.mid(part.textStart(), part.textLength()).trimmed();
  }
  layout.endLayout();
  return lines;
}

QString foldedTip(const QString& text) {
  if (Qt::mightBeRichText(text)) return text;  // Qt folds it
  const QFontMetrics metrics(QToolTip::font());
  const int width = metrics.averageCharWidth() * kTipLetters;
  QStringList lines;
  for (const QString& line : text.split(QLatin1Char('\n')))
    lines << (metrics.horizontalAdvance(line) <= width ? QStringList(line) : folded(line, width));
  return lines.join(QLatin1Char('\n'));
}

}  // namespace

ToolTipWrapping::ToolTipWrapping(QObject* parent) : QObject(parent) {
  QCoreApplication::instance()->installEventFilter(this);
}

/// Whoever answers has done so by the time that the window's thread is idle, and nothing is painted
/// before.
bool ToolTipWrapping::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::ToolTip || !watched->isWidgetType()) return false;
  QTimer::singleShot(0, this,
                     [widget = QPointer(static_cast<QWidget*>(watched)),
                      at = static_cast<QHelpEvent*>(event)->globalPos()] {
                       if (!widget || !QToolTip::isVisible()) return;
                       const QString text = foldedTip(QToolTip::text());
                       if (text != QToolTip::text()) QToolTip::showText(at, text, widget);
                     });
  return false;
}

}  // namespace headlight
