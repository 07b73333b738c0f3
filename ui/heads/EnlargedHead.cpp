// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/heads/EnlargedHead.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolButton>

namespace headlight {
namespace {

constexpr int kBackMargin = 8;

bool isLeave(const QKeyEvent& event) {
  return event.key() == Qt::Key_Escape && event.modifiers() == Qt::NoModifier;
}

}  // namespace

EnlargedHead::EnlargedHead(Document* document, QWidget* parent) : Canvas(document, parent) {
  setObjectName("enlargedHead");
  setAccessibleName(tr("The chosen head, enlarged"));
  m_back = new QToolButton(this);
  m_back->setObjectName("enlargedBack");
  m_back->setText(tr("All heads"));
  m_back->setToolTip(tr("Show all heads again (Esc, or a double click)"));
  connect(m_back, &QToolButton::clicked, this, &EnlargedHead::closed);
}

bool EnlargedHead::claimsKey(const QKeyEvent& event) const {
  return isLeave(event) || Canvas::claimsKey(event);
}

bool EnlargedHead::handleKey(QKeyEvent* event) {
  if (Canvas::handleKey(event)) return true;
  if (!isLeave(*event)) return false;
  Q_EMIT closed();
  return true;
}

void EnlargedHead::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) Q_EMIT closed();
}

void EnlargedHead::resizeEvent(QResizeEvent* event) {
  Canvas::resizeEvent(event);
  m_back->adjustSize();
  m_back->move(width() - m_back->width() - kBackMargin, kBackMargin);
}

}  // namespace headlight
