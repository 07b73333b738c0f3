// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/mechanisms/SphereImageView.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

#include "ui/base/Images.h"

namespace headlight {
namespace {

constexpr double kDegreesAPixel = 0.5, kDegreesAKey = 10;
constexpr double kPixelsAUnit = 2;  ///< sharp on screens of twice as many pixels

}  // namespace

SphereImageView::SphereImageView(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("sphereView"));
  setAccessibleName(tr("Queries and keys, and their image on the sphere"));
  setFocusPolicy(Qt::StrongFocus);
  setMinimumSize(380, 160);
}

void SphereImageView::setTable(std::shared_ptr<const SphereTable> table, const QString& subject) {
  m_table = std::move(table);
  m_subject = subject;
  setCursor(turns() ? Qt::OpenHandCursor : Qt::ArrowCursor);
  draw();
}

void SphereImageView::setView(const SphereView& view) {
  m_view = view;
  draw();
  Q_EMIT viewChanged();
}

void SphereImageView::turnBy(double azimuth, double elevation) {
  if (!turns()) return;
  setView({std::remainder(m_view.azimuth + azimuth, 360.0),
           std::clamp(m_view.elevation + elevation, -90.0, 90.0)});
}

void SphereImageView::draw() {
  m_image = m_table ? toQImage(renderPixels(
                          sphereDrawing(*m_table, m_view, m_subject.toStdString()), kPixelsAUnit))
                    : QImage();
  update();
}

/// Never larger than on paper.
void SphereImageView::paintEvent(QPaintEvent*) {
  if (m_image.isNull()) return;
  QSizeF size = QSizeF(m_image.size()) / kPixelsAUnit;
  if (size.width() > width() || size.height() > height())
    size.scale(QSizeF(this->size()), Qt::KeepAspectRatio);
  QPainter painter(this);
  painter.setRenderHint(QPainter::SmoothPixmapTransform);
  painter.drawImage(QRectF(QPointF((width() - size.width()) / 2, 0), size), m_image);
}

void SphereImageView::mousePressEvent(QMouseEvent* event) {
  m_grabbed = event->position().toPoint();
}

/// The front follows the pointer.
void SphereImageView::mouseMoveEvent(QMouseEvent* event) {
  if (!(event->buttons() & Qt::LeftButton)) return;
  const QPoint moved = event->position().toPoint() - m_grabbed;
  m_grabbed = event->position().toPoint();
  turnBy(-kDegreesAPixel * moved.x(), kDegreesAPixel * moved.y());
}

void SphereImageView::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Left:
      return turnBy(kDegreesAKey, 0);
    case Qt::Key_Right:
      return turnBy(-kDegreesAKey, 0);
    case Qt::Key_Up:
      return turnBy(0, -kDegreesAKey);
    case Qt::Key_Down:
      return turnBy(0, kDegreesAKey);
    default:
      QWidget::keyPressEvent(event);
  }
}

}  // namespace headlight
