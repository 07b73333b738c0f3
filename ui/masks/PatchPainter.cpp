// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/masks/PatchPainter.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

namespace headlight {

PatchPainter::PatchPainter(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("patchPainter"));
  setAccessibleName(tr("Patches that the mask selects"));
  setToolTip(
      tr("Click or drag: select patches, or take them out. Arrows move, Space changes a patch"));
  setFocusPolicy(Qt::StrongFocus);
}

void PatchPainter::setPatches(int rows, int cols, std::vector<std::uint8_t> ones, int marked) {
  m_rows = std::max(1, rows);
  m_cols = std::max(1, cols);
  m_ones = std::move(ones);
  m_ones.resize(static_cast<std::size_t>(m_rows) * m_cols);
  m_marked = marked;
  m_current = std::clamp(m_current, 0, m_rows * m_cols - 1);
  describe();
  update();
}

QRectF PatchPainter::patchRect(int patch) const {
  const double side = std::min(width() / double(m_cols), height() / double(m_rows));
  const int row = patch / m_cols, col = patch % m_cols;
  return {col * side, row * side, side, side};
}

int PatchPainter::patchAt(const QPointF& place) const {
  const double side = patchRect(0).width();
  const int col = static_cast<int>(place.x() / side), row = static_cast<int>(place.y() / side);
  const bool inside =
      place.x() >= 0 && place.y() >= 0 && col >= 0 && col < m_cols && row >= 0 && row < m_rows;
  return inside ? row * m_cols + col : -1;
}

void PatchPainter::set(int patch, std::uint8_t value) {
  if (m_ones[static_cast<std::size_t>(patch)] == value) return;
  m_ones[static_cast<std::size_t>(patch)] = value;
  describe();
  update();
  Q_EMIT painted();
}

void PatchPainter::move(int rows, int cols) {
  const int row = std::clamp(m_current / m_cols + rows, 0, m_rows - 1),
            col = std::clamp(m_current % m_cols + cols, 0, m_cols - 1);
  m_current = row * m_cols + col;
  describe();
  update();
}

void PatchPainter::describe() {
  const bool selected = m_ones[static_cast<std::size_t>(m_current)] != 0;
  setAccessibleDescription(
      (selected ? tr("Row %1, column %2: selected") : tr("Row %1, column %2: not selected"))
          .arg(m_current / m_cols)
          .arg(m_current % m_cols));
}

void PatchPainter::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const QColor on = palette().color(QPalette::Highlight), off = palette().color(QPalette::Base);
  painter.setPen(palette().color(QPalette::Mid));
  for (int patch = 0; patch < m_rows * m_cols; ++patch) {
    painter.setBrush(m_ones[static_cast<std::size_t>(patch)] != 0 ? on : off);
    painter.drawRect(patchRect(patch).adjusted(0, 0, -1, -1));
  }
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(palette().color(QPalette::Text), 2));
  if (m_marked >= 0) painter.drawEllipse(patchRect(m_marked).adjusted(3, 3, -4, -4));
  if (hasFocus()) painter.drawRect(patchRect(m_current).adjusted(1, 1, -2, -2));
}

void PatchPainter::mousePressEvent(QMouseEvent* event) {
  const int patch = patchAt(event->position());
  if (event->button() != Qt::LeftButton || patch < 0) return;
  m_current = patch;
  describe();
  m_value = m_ones[static_cast<std::size_t>(patch)] == 0;
  set(patch, m_value);
}

void PatchPainter::mouseMoveEvent(QMouseEvent* event) {
  const int patch = patchAt(event->position());
  if ((event->buttons() & Qt::LeftButton) && patch >= 0) set(patch, m_value);
}

void PatchPainter::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Left:
      return move(0, -1);
    case Qt::Key_Right:
      return move(0, 1);
    case Qt::Key_Up:
      return move(-1, 0);
    case Qt::Key_Down:
      return move(1, 0);
    case Qt::Key_Space:
      return set(m_current, m_ones[static_cast<std::size_t>(m_current)] == 0);
    default:
      QWidget::keyPressEvent(event);
  }
}

}  // namespace headlight
