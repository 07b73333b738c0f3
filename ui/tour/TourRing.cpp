// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tour/TourRing.h"

#include <QPainter>

namespace headlight {
namespace {

constexpr double kLineWidth = 2.5, kHaloWidth = 5.5, kDotRadius = 4.5, kRound = 5;
constexpr int kRingMargin = 8;

}  // namespace

TourRing::TourRing(QWidget* window) : QWidget(window) {
  setObjectName(QStringLiteral("tourRing"));
  setAttribute(Qt::WA_TransparentForMouseEvents);
  setFocusPolicy(Qt::NoFocus);
  hide();
}

void TourRing::showAround(const QRect& target, const BalloonPlace& place) {
  m_target = target;
  m_from = place.from;
  m_to = place.to;
  const QRect line = QRect(m_from, QSize(1, 1)) | QRect(m_to, QSize(1, 1));
  const int margin = kRingMargin;
  setGeometry((target | line).adjusted(-margin, -margin, margin, margin) & parentWidget()->rect());
  show();
  update();
}

/// With a halo in the color of the ground, so that it is seen on any image.
void TourRing::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.translate(-pos());
  const QRectF ring = QRectF(m_target).adjusted(0.5, 0.5, -0.5, -0.5);
  const QColor line = palette().color(QPalette::Highlight), halo = palette().color(QPalette::Base);
  for (const auto& [color, width] : {std::pair(halo, kHaloWidth), std::pair(line, kLineWidth)}) {
    painter.setPen(QPen(color, width, Qt::SolidLine, Qt::RoundCap));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(ring, kRound, kRound);
    painter.drawLine(m_from, m_to);
  }
  painter.setBrush(line);
  painter.setPen(QPen(halo, 1));
  painter.drawEllipse(QPointF(m_to), kDotRadius, kDotRadius);
}

}  // namespace headlight
