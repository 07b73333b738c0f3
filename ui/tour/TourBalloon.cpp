// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tour/TourBalloon.h"

#include <QAccessible>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

#include "ui/base/Colors.h"

namespace headlight {
namespace {

constexpr int kBalloonWidth = 360;
constexpr double kTint = 0.10;  ///< of the highlight in the ground: text keeps its contrast

}  // namespace

TourBalloon::TourBalloon(QWidget* window)
    : QFrame(window), m_title(new QLabel(this)), m_text(new QLabel(this)) {
  setObjectName(QStringLiteral("tourBalloon"));
  setFrameShape(QFrame::Box);
  setAutoFillBackground(true);
  m_title->setObjectName(QStringLiteral("tourTitle"));
  m_text->setObjectName(QStringLiteral("tourText"));
  QFont bold = m_title->font();
  bold.setBold(true);
  m_title->setFont(bold);
  for (QLabel* label : {m_title, m_text}) {
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
  }
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(14, 12, 14, 10);
  layout->setSpacing(8);
  layout->addWidget(m_title);
  layout->addWidget(m_text, 1);
  layout->addLayout(new QHBoxLayout);
  m_leave = addButton("tourLeave", tr("Skip Tour"), tr("Leave the tour (Esc)"), &TourBalloon::left);
  m_showAgain = addButton("tourShowAgain", tr("Show"), tr("Show again what this step is about"),
                          &TourBalloon::showAgain);
  m_try = addButton("tourTry", {}, {}, &TourBalloon::tried);
  m_back = addButton("tourBack", tr("Back"), tr("Previous step (Alt+Left)"), &TourBalloon::back);
  m_next = addButton("tourNext", {}, {}, &TourBalloon::next);
  applyColors();
  hide();
}

QPushButton* TourBalloon::addButton(const char* name, const QString& text, const QString& tip,
                                    void (TourBalloon::*signal)()) {
  auto* row = static_cast<QHBoxLayout*>(layout()->itemAt(2)->layout());
  auto* button = new QPushButton(text, this);
  button->setObjectName(QString::fromLatin1(name));
  button->setToolTip(tip);
  button->setFocusPolicy(Qt::TabFocus);  // a click leaves the keys to the image
  connect(button, &QPushButton::clicked, this, signal);
  row->addWidget(button);
  if (row->count() == 1) row->addStretch(1);
  return button;
}

void TourBalloon::showStep(int step, int steps, const QString& title) {
  const QString heading = tr("%1 of %2 · %3").arg(step + 1).arg(steps).arg(title);
  m_title->setText(heading);
  setAccessibleName(tr("Tour, step %1").arg(heading));
  const bool last = step + 1 == steps;
  m_next->setText(last ? tr("Finish") : tr("Next"));
  m_next->setToolTip(last ? tr("End the tour (Alt+Right)") : tr("Next step (Alt+Right)"));
  m_back->setEnabled(step > 0);
  m_leave->setVisible(!last);
  QAccessibleEvent event(this, QAccessible::Alert);
  QAccessible::updateAccessibility(&event);
}

void TourBalloon::setText(const QString& text) {
  m_text->setText(text);
  setAccessibleDescription(text);
}

QString TourBalloon::text() const {
  return m_text->text();
}

void TourBalloon::setTry(const QString& offered, const QString& tip) {
  m_try->setText(offered);
  m_try->setToolTip(tip);
  m_try->setVisible(!offered.isEmpty());
}

void TourBalloon::setShowAgain(bool offered) {
  m_showAgain->setVisible(offered);
}

QSize TourBalloon::fittingSize(const QSize& room) const {
  const int width = std::min(std::max(kBalloonWidth, minimumSizeHint().width()), room.width());
  return {width, std::min(layout()->totalHeightForWidth(width), room.height())};
}

void TourBalloon::changeEvent(QEvent* event) {
  QFrame::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) applyColors();
}

void TourBalloon::applyColors() {
  QPalette colors;
  const QColor highlight = colors.color(QPalette::Highlight);
  const QColor ground = mixed(colors.color(QPalette::Window), highlight, kTint);
  if (palette().color(QPalette::Window) == ground) return;  // this is the change
  colors.setColor(QPalette::Window, ground);
  setPalette(colors);
}

}  // namespace headlight
