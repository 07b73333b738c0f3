// SPDX-License-Identifier: GPL-3.0-or-later

// PictureView, continued: its mouse and keys. Qt calls members for them, and each of them reads or
// moves what the view shows.

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

#include "ui/base/SanitizedText.h"
#include "ui/canvas/PictureView.h"

namespace headlight {
namespace {

constexpr double kWheelZoomStep = 1.25;

}  // namespace

bool PictureView::startsPan(const QMouseEvent& event) const {
  return event.button() == Qt::MiddleButton || (event.button() == Qt::LeftButton && m_spaceHeld);
}

void PictureView::mousePressEvent(QMouseEvent* event) {
  if (startsPan(*event)) {
    m_panning = true;
    m_panFrom = event->position();
    setCursor(Qt::ClosedHandCursor);
  } else if (event->button() == Qt::LeftButton && patchAt(event->position()) >= 0) {
    m_picking = true;
    pick(event->position());
  }
}

void PictureView::pick(const QPointF& position) {
  // A drag that leaves the region goes on along its edge.
  const QRectF region = regionRect().intersected(pictureArea()).adjusted(0.5, 0.5, -0.5, -0.5);
  if (region.isEmpty()) return;
  const int patch = patchAt({std::clamp(position.x(), region.left(), region.right()),
                             std::clamp(position.y(), region.top(), region.bottom())});
  if (patch >= 0) patchPressed(patch);
}

void PictureView::mouseMoveEvent(QMouseEvent* event) {
  if (m_panning) {
    if (m_fitted) setZoom(zoom(), pictureArea().center());
    m_centre -= (event->position() - m_panFrom) / m_scale;
    m_panFrom = event->position();
    keepInSight();
    sceneChanged();
    return;
  }
  setHovered(patchAt(event->position()));
  if (m_picking && event->buttons().testFlag(Qt::LeftButton)) pick(event->position());
}

void PictureView::mouseReleaseEvent(QMouseEvent* event) {
  m_picking = false;
  if (m_panning) {
    m_panning = false;
    if (m_spaceHeld)
      setCursor(Qt::OpenHandCursor);
    else
      unsetCursor();
  }
}

void PictureView::wheelEvent(QWheelEvent* event) {
  const int delta = event->angleDelta().y();
  if (delta != 0) setZoom(zoom() * std::pow(kWheelZoomStep, delta / 120.0), event->position());
  setHovered(patchAt(event->position()));
  event->accept();
}

void PictureView::setHovered(int patch) {
  if (patch == m_hovered) return;
  m_hovered = patch;
  patchHovered(patch);
  Q_EMIT pointed(patch);
  update();
}

void PictureView::showPointed(int patch) {
  if (patch == m_hovered || patch >= shownGrid().patches()) return;
  m_hovered = patch;
  update();
}

void PictureView::leaveEvent(QEvent*) {
  setHovered(-1);
}

bool PictureView::claimsKey(const QKeyEvent& event) const {
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

bool PictureView::handleKey(QKeyEvent* event) {
  if (!PictureView::claimsKey(*event)) return false;
  const QPointF middle = pictureArea().center();
  switch (event->key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      setZoom(zoom() * kWheelZoomStep, middle);
      break;
    case Qt::Key_Minus:
      setZoom(zoom() / kWheelZoomStep, middle);
      break;
    case Qt::Key_0:
      fit();
      break;
    case Qt::Key_1:
      setZoom(1, middle);
      break;
    case Qt::Key_Space:
      if (!event->isAutoRepeat()) m_spaceHeld = true;
      if (!m_panning) setCursor(Qt::OpenHandCursor);
      break;
  }
  return true;
}

void PictureView::keyPressEvent(QKeyEvent* event) {
  if (!handleKey(event)) QWidget::keyPressEvent(event);
}

void PictureView::keyReleaseEvent(QKeyEvent* event) {
  if (event->key() != Qt::Key_Space || event->isAutoRepeat())
    return QWidget::keyReleaseEvent(event);
  m_spaceHeld = false;
  if (!m_panning) unsetCursor();
}

bool PictureView::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride && claimsKey(*static_cast<QKeyEvent*>(event))) {
    event->accept();
    return true;
  }
  if (event->type() == QEvent::ToolTip) {
    const auto& asked = *static_cast<QHelpEvent*>(event);
    if (asked.pos().y() < pictureArea().bottom()) return QWidget::event(event);
    QToolTip::showText(asked.globalPos(), plainToolTip(legendText(currentLegend())), this);
    return true;
  }
  if (event->type() == QEvent::FocusOut) {
    m_spaceHeld = false;
    unsetCursor();
  }
  return QWidget::event(event);
}

}  // namespace headlight
