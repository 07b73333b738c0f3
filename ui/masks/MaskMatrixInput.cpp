// MaskMatrix: mouse and keyboard.

#include <QHelpEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>
#include <cmath>

#include "ui/document/Document.h"
#include "ui/document/MaskCommand.h"
#include "ui/masks/MaskMatrix.h"

namespace headlight {
namespace {

std::optional<MaskKind> kindOfKey(int key) {
  switch (key) {
    case Qt::Key_N:
    case Qt::Key_Delete:
    case Qt::Key_Backspace:
      return MaskKind::None;
    case Qt::Key_H:
      return MaskKind::Hard;
    case Qt::Key_S:
      return MaskKind::Soft;
    case Qt::Key_X:
      return MaskKind::Strict;
    case Qt::Key_R:
      return MaskKind::Random;
    default:
      return std::nullopt;
  }
}

bool isPlain(const QKeyEvent* event) {
  return !(event->modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier));
}

}  // namespace

// --- Mouse -------------------------------------------------------------------------------------

void MaskMatrix::mousePressEvent(QMouseEvent* event) {
  const Hit hit = hitAt(event->pos());
  if (event->button() != Qt::LeftButton || hit.part == Part::Nothing) return;
  const auto cells = cellsOf(hit);
  if (event->modifiers() & Qt::ControlModifier) {
    const bool remove = std::all_of(cells.begin(), cells.end(), [&](const HeadCell& cell) {
      return m_selection.contains(cell);
    });
    for (const auto& cell : cells)
      remove ? void(m_selection.erase(cell)) : void(m_selection.insert(cell));
    m_current = m_anchor = cells.front();
    return announce();
  }
  if (event->modifiers() & Qt::ShiftModifier) {
    if (hit.part == Part::Cell) return extendTo(cells.front());
    const HeadCell anchor = m_anchor.value_or(cells.front());
    if (hit.part == Part::RowHeader) m_anchor = HeadCell{anchor.first, 0};
    if (hit.part == Part::ColumnHeader) m_anchor = HeadCell{0, anchor.second};
    if (hit.part == Part::Corner) return selectAll();
    return extendTo(cells.back());
  }
  const auto painted = maskable(cells);
  const bool have =
      !painted.empty() && std::all_of(painted.begin(), painted.end(), [&](const HeadCell& cell) {
        return m_document->masks().at(cell.first, cell.second).looksLike(m_brush);
      });
  m_strokeMask = have ? HeadMask{} : m_brush;
  m_stroke = MaskCommand::newStroke();
  m_strokePosition = event->pos();
  m_strokeCells.clear();
  paintStrokeTo(event->pos());
}

void MaskMatrix::mouseMoveEvent(QMouseEvent* event) {
  const Hit hit = hitAt(event->pos());
  if (hit.part != m_hover.part || hit.layer != m_hover.layer || hit.head != m_hover.head) {
    m_hover = hit;
    viewport()->update();
  }
  if (m_stroke >= 0 && event->buttons() & Qt::LeftButton) paintStrokeTo(event->pos());
}

void MaskMatrix::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) m_stroke = -1;
}

void MaskMatrix::leaveEvent(QEvent* event) {
  m_hover = {};
  viewport()->update();
  QAbstractScrollArea::leaveEvent(event);
}

void MaskMatrix::paintStrokeTo(const QPoint& position) {
  // A fast mouse jumps over cells: walk the line in steps shorter than a cell.
  const QPointF way = position - m_strokePosition;
  const double reach =
      std::max(std::abs(way.x()) / m_cellSize.width(), std::abs(way.y()) / m_cellSize.height());
  const int steps = std::max(1, static_cast<int>(std::ceil(reach * 3)));
  for (int i = 1; i <= steps; ++i) {
    const QPointF at = QPointF(m_strokePosition) + way * i / steps;
    const auto cells = cellsOf(hitAt(at.toPoint()));
    if (cells.empty() || cells == m_strokeCells) continue;
    m_strokeCells = cells;
    std::vector<HeadCell> painted = cells;
    std::erase_if(painted, [&](const HeadCell& cell) { return !isMaskable(cell); });
    auto edit =
        makeMaskEdit(m_document->masks(), painted, m_strokeMask,
                     maskEditText(m_document->masks(), painted, m_strokeMask).toStdString());
    if (edit && !edit->empty())
      m_document->undoStack()->push(new MaskCommand(m_document, *edit, m_stroke));
    m_selection = {cells.begin(), cells.end()};
    m_current = m_anchor = cells.front();
    announce();
  }
  m_strokePosition = position;
}

// --- Keyboard ----------------------------------------------------------------------------------

bool MaskMatrix::handleMaskKey(QKeyEvent* event) {
  if (!isPlain(event)) return false;
  const int key = event->key();
  if (const auto kind = kindOfKey(key)) return setKindOfSelection(*kind), true;
  if (key == Qt::Key_Space || key == Qt::Key_Return || key == Qt::Key_Enter) {
    if (!m_selection.empty()) toggleBrush(selection());
    return true;
  }
  if (key >= Qt::Key_1 && key <= Qt::Key_9) {
    const int digit = key - Qt::Key_0;
    if (digit % 2 == 1)
      setWindowOfSelection(digit);
    else
      Q_EMIT m_document->message(tr("A window is odd: 1, 3, 5, 7 or 9."));
    return true;
  }
  if (key == Qt::Key_Plus || key == Qt::Key_Equal) return changeWindowOfSelection(1), true;
  if (key == Qt::Key_Minus) return changeWindowOfSelection(-1), true;
  return false;
}

bool MaskMatrix::handleMoveKey(QKeyEvent* event) {
  const bool extend = event->modifiers() & Qt::ShiftModifier;
  const int page = std::max(1, verticalScrollBar()->pageStep() / m_cellSize.height());
  constexpr int kFar = 1 << 20;
  if (event->modifiers() & Qt::ControlModifier && event->key() != Qt::Key_A) return false;
  switch (event->key()) {
    case Qt::Key_Left:
      return moveCurrent(0, -1, extend), true;
    case Qt::Key_Right:
      return moveCurrent(0, 1, extend), true;
    case Qt::Key_Up:
      return moveCurrent(-1, 0, extend), true;
    case Qt::Key_Down:
      return moveCurrent(1, 0, extend), true;
    case Qt::Key_Home:
      return moveCurrent(0, -kFar, extend), true;
    case Qt::Key_End:
      return moveCurrent(0, kFar, extend), true;
    case Qt::Key_PageUp:
      return moveCurrent(-page, 0, extend), true;
    case Qt::Key_PageDown:
      return moveCurrent(page, 0, extend), true;
    case Qt::Key_A:
      if (!(event->modifiers() & Qt::ControlModifier)) return false;
      return selectAll(), true;
    default:
      return false;
  }
}

void MaskMatrix::keyPressEvent(QKeyEvent* event) {
  if (!handleMoveKey(event) && !handleMaskKey(event)) QAbstractScrollArea::keyPressEvent(event);
}

bool MaskMatrix::event(QEvent* event) {
  // A letter belongs to the matrix while it has the focus, whatever the window's shortcuts are.
  if (event->type() == QEvent::ShortcutOverride) {
    auto* key = static_cast<QKeyEvent*>(event);
    const bool digit = key->key() >= Qt::Key_1 && key->key() <= Qt::Key_9;
    const bool sign =
        key->key() == Qt::Key_Plus || key->key() == Qt::Key_Equal || key->key() == Qt::Key_Minus;
    if (isPlain(key) && (kindOfKey(key->key()) || digit || sign || key->key() == Qt::Key_Space)) {
      event->accept();
      return true;
    }
  }
  return QAbstractScrollArea::event(event);
}

void MaskMatrix::focusInEvent(QFocusEvent* event) {
  const bool byKey = event->reason() == Qt::TabFocusReason ||
                     event->reason() == Qt::BacktabFocusReason ||
                     event->reason() == Qt::ShortcutFocusReason;
  if (byKey && !m_current && m_document->masks().contains(0, 0)) setCurrent({0, 0});
  QAbstractScrollArea::focusInEvent(event);
  viewport()->update();
}

void MaskMatrix::focusOutEvent(QFocusEvent* event) {
  QAbstractScrollArea::focusOutEvent(event);
  viewport()->update();
}

// --- The rest ----------------------------------------------------------------------------------

bool MaskMatrix::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const QString text = describeHit(hitAt(help->pos()));
    text.isEmpty() ? QToolTip::hideText() : QToolTip::showText(help->globalPos(), text, viewport());
    return true;
  }
  return QAbstractScrollArea::viewportEvent(event);
}

void MaskMatrix::resizeEvent(QResizeEvent* event) {
  QAbstractScrollArea::resizeEvent(event);
  layOut();
}

void MaskMatrix::changeEvent(QEvent* event) {
  QAbstractScrollArea::changeEvent(event);
  if (event->type() == QEvent::FontChange) layOut();
  viewport()->update();
}

}  // namespace headlight
