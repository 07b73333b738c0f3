// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/ImageViewInput.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

#include "ui/canvas/ImageView.h"

namespace headlight {
namespace {

constexpr double kWheelZoomStep = 1.25;

}  // namespace

ImageViewInput::ImageViewInput(ImageView* view) : QObject(view), m_view(view) {}

void ImageViewInput::press(const QMouseEvent& event) {
  const bool left = event.button() == Qt::LeftButton;
  if (event.button() == Qt::MiddleButton || (left && m_spaceHeld)) {
    m_panning = true;
    m_panFrom = event.position();
    m_view->setCursor(Qt::ClosedHandCursor);
  } else if (left && m_view->patchAt(event.position()) >= 0) {
    m_picking = true;
    pick(event.position());
  }
}

void ImageViewInput::pick(const QPointF& position) {
  const QRectF region =
      m_view->regionRect().intersected(m_view->imageArea()).adjusted(0.5, 0.5, -0.5, -0.5);
  if (region.isEmpty()) return;
  const int patch = m_view->patchAt({std::clamp(position.x(), region.left(), region.right()),
                                     std::clamp(position.y(), region.top(), region.bottom())});
  if (patch >= 0) Q_EMIT picked(patch);
}

void ImageViewInput::move(const QMouseEvent& event) {
  if (m_panning) {
    m_view->moveImage(event.position() - m_panFrom);
    m_panFrom = event.position();
    return;
  }
  Q_EMIT hovered(m_view->patchAt(event.position()));
  if (m_picking && event.buttons().testFlag(Qt::LeftButton)) pick(event.position());
}

void ImageViewInput::release() {
  m_picking = false;
  if (!m_panning) return;
  m_panning = false;
  if (m_spaceHeld)
    m_view->setCursor(Qt::OpenHandCursor);
  else
    m_view->unsetCursor();
}

void ImageViewInput::wheel(const QWheelEvent& event) {
  const int delta = event.angleDelta().y();
  if (delta != 0)
    m_view->setZoom(m_view->zoom() * std::pow(kWheelZoomStep, delta / 120.0), event.position());
  Q_EMIT hovered(m_view->patchAt(event.position()));
}

bool ImageViewInput::claimsKey(const QKeyEvent& event) {
  if (event.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier)) return false;
  switch (event.key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal:
    case Qt::Key_Minus:
    case Qt::Key_0:
    case Qt::Key_1:
    case Qt::Key_Space:
      return true;
    default:
      return false;
  }
}

bool ImageViewInput::pressKey(const QKeyEvent& event) {
  if (!claimsKey(event)) return false;
  const QPointF middle = m_view->imageArea().center();
  switch (event.key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      m_view->setZoom(m_view->zoom() * kWheelZoomStep, middle);
      break;
    case Qt::Key_Minus:
      m_view->setZoom(m_view->zoom() / kWheelZoomStep, middle);
      break;
    case Qt::Key_0:
      m_view->fit();
      break;
    case Qt::Key_1:
      m_view->setZoom(1, middle);
      break;
    case Qt::Key_Space:
      if (!event.isAutoRepeat()) m_spaceHeld = true;
      if (!m_panning) m_view->setCursor(Qt::OpenHandCursor);
      break;
  }
  return true;
}

bool ImageViewInput::releaseKey(const QKeyEvent& event) {
  if (event.key() != Qt::Key_Space || event.isAutoRepeat()) return false;
  m_spaceHeld = false;
  if (!m_panning) m_view->unsetCursor();
  return true;
}

void ImageViewInput::loseFocus() {
  m_spaceHeld = false;
  m_view->unsetCursor();
}

}  // namespace headlight
