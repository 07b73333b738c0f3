// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/interventions/PartsView.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace headlight {
namespace {

constexpr int kRowHeight = 20, kPartLabels = 84, kWidestRow = 720, kWidestPart = 36,
              kNarrowestPart = 4;

QColor partColor(const ShownParts& parts, double value) {
  const double span = parts.range.high - parts.range.low;
  const auto rgb = colorOf(parts.colorMap, span > 0 ? (value - parts.range.low) / span : 0.5);
  return {rgb[0], rgb[1], rgb[2]};
}

}  // namespace

int ShownParts::columns() const {
  std::size_t most = 0;
  for (const auto& row : values)
    most = std::max(most, row.size());
  return static_cast<int>(most);
}

bool ShownParts::has(int row, int column) const {
  if (row < 0 || column < 0 || row >= static_cast<int>(values.size())) return false;
  const auto& line = values[static_cast<std::size_t>(row)];
  return column < static_cast<int>(line.size()) &&
         !std::isnan(line[static_cast<std::size_t>(column)]);
}

PartsView::PartsView(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("partsView"));
  setAccessibleName(tr("Effect of every part"));
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
}

void PartsView::setParts(const ShownParts& parts) {
  m_parts = parts;
  m_cell.reset();
  setFixedSize(sizeHint());
  update();
  Q_EMIT cellChanged();
}

int PartsView::cellWidth() const {
  return std::clamp(kWidestRow / std::max(m_parts.columns(), 1), kNarrowestPart, kWidestPart);
}

QSize PartsView::sizeHint() const {
  const int rows = std::max(static_cast<int>(m_parts.values.size()), 1);
  return {kPartLabels + std::max(m_parts.columns(), 1) * cellWidth() + 2, rows * kRowHeight + 2};
}

QRect PartsView::cellRect(const Cell& cell) const {
  return {kPartLabels + cell.column * cellWidth(), cell.row * kRowHeight, cellWidth(), kRowHeight};
}

std::optional<PartsView::Cell> PartsView::cellAt(const QPoint& position) const {
  if (position.x() < kPartLabels || position.y() < 0) return std::nullopt;
  const Cell cell{position.y() / kRowHeight, (position.x() - kPartLabels) / cellWidth()};
  return m_parts.has(cell.row, cell.column) ? std::optional(cell) : std::nullopt;
}

void PartsView::setCell(const std::optional<Cell>& cell) {
  if (cell == m_cell) return;
  m_cell = cell;
  update();
  Q_EMIT cellChanged();
}

void PartsView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  for (int r = 0; r < static_cast<int>(m_parts.values.size()); ++r) {
    painter.setPen(palette().color(QPalette::WindowText));
    painter.drawText(QRect(0, r * kRowHeight, kPartLabels - 8, kRowHeight),
                     Qt::AlignRight | Qt::AlignVCenter, m_parts.rows.value(r));
    const auto& row = m_parts.values[static_cast<std::size_t>(r)];
    for (int c = 0; c < static_cast<int>(row.size()); ++c)
      painter.fillRect(cellRect({r, c}), m_parts.has(r, c)
                                             ? partColor(m_parts, row[static_cast<std::size_t>(c)])
                                             : palette().color(QPalette::AlternateBase));
  }
  if (!m_cell) return;
  painter.setPen(QPen(Qt::black, 3));
  painter.drawRect(cellRect(*m_cell));
  painter.setPen(QPen(Qt::white, 1));
  painter.drawRect(cellRect(*m_cell));
}

void PartsView::mouseMoveEvent(QMouseEvent* event) {
  setCell(cellAt(event->position().toPoint()));
}

void PartsView::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  setCell(cellAt(event->position().toPoint()));
  if (m_cell) Q_EMIT chosen(m_cell->row, m_cell->column);
}

void PartsView::leaveEvent(QEvent*) {
  if (!hasFocus()) setCell(std::nullopt);
}

void PartsView::moveBy(int rows, int columns) {
  const Cell next = m_cell ? Cell{m_cell->row + rows, m_cell->column + columns} : Cell{};
  if (m_parts.has(next.row, next.column)) setCell(next);
}

void PartsView::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Left:
      return moveBy(0, -1);
    case Qt::Key_Right:
      return moveBy(0, 1);
    case Qt::Key_Up:
      return moveBy(-1, 0);
    case Qt::Key_Down:
      return moveBy(1, 0);
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (m_cell) Q_EMIT chosen(m_cell->row, m_cell->column);
      return;
    default:
      QWidget::keyPressEvent(event);
  }
}

}  // namespace headlight
