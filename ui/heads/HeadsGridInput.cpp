// SPDX-License-Identifier: GPL-3.0-or-later

// HeadsArea, continued: its mouse and keys. Qt calls members for them, which have nothing to do
// with how the tiles are painted.

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>

#include <algorithm>

#include "ui/heads/HeadsGrid.h"

namespace headlight {

void HeadsArea::choose(int layer, int head) {
  if (m_layout.layers() == 0) return;
  ViewOptions view = m_document->view();
  view.layer = std::clamp(layer, 0, m_layout.layers() - 1);
  view.head =
      std::clamp(head, -1, m_document->model().heads[static_cast<std::size_t>(view.layer)] - 1);
  m_document->setView(view);
  setAccessibleDescription(describeTile(view.layer, view.head));
}

void HeadsArea::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  if (const auto cell = cellAt(event->position())) choose(cell->first, cell->second);
}

void HeadsArea::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  if (const auto cell = cellAt(event->position())) {
    choose(cell->first, cell->second);
    Q_EMIT enlarged();
  }
}

void HeadsArea::keyPressEvent(QKeyEvent* event) {
  if (m_layout.layers() == 0) return event->ignore();
  const ViewOptions view = m_document->view();
  const int page = std::max(1, static_cast<int>((viewport()->height() - m_layout.headerHeight()) /
                                                m_layout.cell().height()));
  switch (event->key()) {
    case Qt::Key_Left:
      return choose(view.layer, view.head - 1);
    case Qt::Key_Right:
      return choose(view.layer, view.head + 1);
    case Qt::Key_Up:
      return choose(view.layer - 1, view.head);
    case Qt::Key_Down:
      return choose(view.layer + 1, view.head);
    case Qt::Key_PageUp:
      return choose(view.layer - page, view.head);
    case Qt::Key_PageDown:
      return choose(view.layer + page, view.head);
    case Qt::Key_Home:
      return choose(0, view.head);
    case Qt::Key_End:
      return choose(m_layout.layers() - 1, view.head);
    case Qt::Key_Return:
    case Qt::Key_Enter:
      Q_EMIT enlarged();
      return;
    default:
      event->ignore();
  }
}

bool HeadsArea::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    auto* help = static_cast<QHelpEvent*>(event);
    const auto cell = cellAt(help->pos());
    if (cell)
      QToolTip::showText(help->globalPos(), describeTile(cell->first, cell->second), viewport());
    else
      QToolTip::hideText();
    return true;
  }
  return QAbstractScrollArea::viewportEvent(event);
}

}  // namespace headlight
