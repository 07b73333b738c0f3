// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/heads/HeadsInput.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>

#include <algorithm>

#include "ui/document/Document.h"
#include "ui/heads/HeadsGrid.h"

namespace headlight {

std::optional<std::pair<int, int>> headAfterKey(int key, std::pair<int, int> at, int layers,
                                                int page) {
  const auto [layer, head] = at;
  switch (key) {
    case Qt::Key_Left:
      return std::pair(layer, head - 1);
    case Qt::Key_Right:
      return std::pair(layer, head + 1);
    case Qt::Key_Up:
      return std::pair(layer - 1, head);
    case Qt::Key_Down:
      return std::pair(layer + 1, head);
    case Qt::Key_PageUp:
      return std::pair(layer - page, head);
    case Qt::Key_PageDown:
      return std::pair(layer + page, head);
    case Qt::Key_Home:
      return std::pair(0, head);
    case Qt::Key_End:
      return std::pair(layers - 1, head);
    default:
      return std::nullopt;
  }
}

HeadsInput::HeadsInput(Document* document, HeadsArea* area)
    : QObject(area), m_document(document), m_area(area) {}

void HeadsInput::choose(std::pair<int, int> cell) {
  const int layers = m_area->tileLayout().layers();
  if (layers == 0) return;
  ViewOptions view = m_document->view().options();
  view.layer = std::clamp(cell.first, 0, layers - 1);
  const int heads = m_document->inputs().model().heads[static_cast<std::size_t>(view.layer)];
  view.head = std::clamp(cell.second, -1, heads - 1);
  m_document->view().set(view);
  m_area->setAccessibleDescription(m_area->describeTile(view.layer, view.head));
}

void HeadsInput::press(const QMouseEvent& event) {
  if (event.button() != Qt::LeftButton) return;
  if (const auto cell = m_area->cellAt(event.position())) choose(*cell);
}

void HeadsInput::doubleClick(const QMouseEvent& event) {
  if (event.button() != Qt::LeftButton) return;
  if (const auto cell = m_area->cellAt(event.position())) {
    choose(*cell);
    Q_EMIT enlarged();
  }
}

void HeadsInput::pressKey(QKeyEvent* event) {
  const HeadsLayout& layout = m_area->tileLayout();
  if (layout.layers() == 0) return event->ignore();
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
    Q_EMIT enlarged();
    return;
  }
  const ViewOptions view = m_document->view().options();
  const double inSight = m_area->viewport()->height() - layout.headerHeight();
  const int page = std::max(1, static_cast<int>(inSight / layout.cell().height()));
  const auto cell = headAfterKey(event->key(), {view.layer, view.head}, layout.layers(), page);
  if (!cell) return event->ignore();
  choose(*cell);
}

void HeadsInput::showToolTip(const QHelpEvent& event) {
  if (const auto cell = m_area->cellAt(event.pos()))
    QToolTip::showText(event.globalPos(), m_area->describeTile(cell->first, cell->second),
                       m_area->viewport());
  else
    QToolTip::hideText();
}

}  // namespace headlight
