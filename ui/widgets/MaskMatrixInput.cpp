// MaskMatrix: mouse, keyboard, context menu and tooltips.

#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>
#include <cmath>

#include "core/workbench/TrainingSession.h"
#include "ui/commands/MaskCommand.h"
#include "ui/models/Document.h"
#include "ui/widgets/MaskAppearance.h"
#include "ui/widgets/MaskMatrix.h"

namespace headlight {
namespace {

const std::vector<MaskKind>& allKinds() {
  static const std::vector<MaskKind> kinds{MaskKind::None, MaskKind::Hard, MaskKind::Soft,
                                           MaskKind::Strict, MaskKind::Random};
  return kinds;
}

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
  const bool have = std::all_of(cells.begin(), cells.end(), [&](const HeadCell& cell) {
    return m_document->masks().at(cell.first, cell.second) == m_brush;
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
    auto edit = makeMaskEdit(m_document->masks(), cells, m_strokeMask,
                             maskEditText(m_document->masks(), cells, m_strokeMask).toStdString());
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

// --- Menu and tooltips -------------------------------------------------------------------------

void MaskMatrix::contextMenuEvent(QContextMenuEvent* event) {
  const bool byMouse = event->reason() == QContextMenuEvent::Mouse;
  const auto under = byMouse ? cellsOf(hitAt(event->pos())) : selection();
  if (under.empty()) return;
  if (!std::all_of(under.begin(), under.end(),
                   [&](const HeadCell& cell) { return m_selection.contains(cell); }))
    select(under);
  if (under.size() == 1) m_current = under.front();
  auto* menu = new QMenu(this);
  menu->setObjectName(QStringLiteral("maskMenu"));
  menu->setAttribute(Qt::WA_DeleteOnClose);
  fillMenu(menu);
  menu->popup(byMouse || !m_current ? event->globalPos()
                                    : viewport()->mapToGlobal(cellRect(*m_current).center()));
}

void MaskMatrix::fillMenu(QMenu* menu) {
  const QString where = cellsText(m_document->masks(), selection());
  menu->addSection(where);
  for (const MaskKind kind : allKinds()) {
    HeadMask shown = m_brush;
    shown.kind = kind;
    QAction* action =
        menu->addAction(maskSwatch(kind, palette()),
                        tr("%1\t%2").arg(kind == MaskKind::None ? tr("No mask") : maskText(shown),
                                         maskLetter(kind)),
                        this, [this, kind] { setKindOfSelection(kind); });
    action->setObjectName(
        QStringLiteral("maskMenu.%1").arg(QString::fromStdString(maskKindName(kind))));
  }
  QMenu* windows = menu->addMenu(tr("Window"));
  for (const int window : {1, 3, 5, 7, 9, 11, 13})
    windows->addAction(tr("%1×%1").arg(window), this,
                       [this, window] { setWindowOfSelection(window); });
  menu->addSeparator();
  if (m_current) {
    const auto [layer, head] = *m_current;
    menu->addAction(tr("Use as the brush"), this, [this, layer = layer, head = head] {
      setBrush(m_document->masks().at(layer, head));
    });
    menu->addAction(tr("Show this head in the picture"), this, [this, layer = layer, head = head] {
      ViewOptions view = m_document->view();
      view.layer = layer;
      view.head = head;
      m_document->setView(view);
    });
    menu->addSeparator();
    menu->addAction(tr("Select layer %1").arg(layer), this, [this, layer = layer] {
      select(cellsOf({Part::RowHeader, layer, -1}));
    });
    menu->addAction(tr("Select head %1 of every layer").arg(head), this, [this, head = head] {
      select(cellsOf({Part::ColumnHeader, -1, head}));
    });
  }
  menu->addAction(tr("Select all\tCtrl+A"), this, &MaskMatrix::selectAll);
}

QString MaskMatrix::describeCell(const HeadCell& cell) const {
  const HeadMask& mask = m_document->masks().at(cell.first, cell.second);
  QString text = tr("Layer %1, head %2: %3. %4")
                     .arg(cell.first)
                     .arg(cell.second)
                     .arg(maskText(mask), maskKindHelp(mask.kind));
  if (const auto& recorded = m_document->recorded()) {
    text += tr("\nAs recorded at training step %1.").arg(recorded->step);
    if (const auto alpha = m_document->recordedAlpha(cell.first, cell.second))
      text += tr(" Its α was %1.").arg(*alpha, 0, 'f', 3);
  }
  if (const auto locality = m_document->locality(cell.first, cell.second))
    text += tr("\nLocality score (ALS) %1: %2 % of what its patch tokens look at lies in their own "
               "3×3 neighbourhood.")
                .arg(*locality, 0, 'f', 2)
                .arg(*locality * 100, 0, 'f', 0);
  return text;
}

QString MaskMatrix::describeHit(const Hit& hit) const {
  const QString brush = maskText(m_brush);
  switch (hit.part) {
    case Part::Cell:
      return describeCell({hit.layer, hit.head}) + tr("\nClick or drag: %1; again: no mask. Shift "
                                                      "extends the selection, Ctrl adds to it.")
                                                       .arg(brush);
    case Part::RowHeader:
      return tr("Layer %1. Click: %2 on all its heads; again: no mask.").arg(hit.layer).arg(brush);
    case Part::ColumnHeader:
      return tr("Head %1. Click: %2 on it in every layer; again: no mask.")
          .arg(hit.head)
          .arg(brush);
    case Part::Corner:
      return tr("Click: %1 on every head; again: no mask.").arg(brush);
    case Part::Nothing:
      break;
  }
  return {};
}

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
