// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tour/TourStage.h"

#include <QDockWidget>
#include <QMainWindow>

#include <utility>

#include "ui/workspace/Docks.h"
#include "ui/workspace/ImageTabs.h"

namespace headlight {

void TourStage::begin() {
  m_before = m_parts.workspaces->current();
  m_changes.reset();
}

void TourStage::show(const TourStep& step) {
  putBack();
  m_parts.workspaces->show(step.workspace);
  m_changes = Changes{step.workspace, m_parts.tabs->page(), step.page, {}, {}};
  m_parts.tabs->showPage(step.page);
  CompareView* compare = m_parts.tabs->compare();
  if (step.workspace == Workspace::Compare && compare->page() != CompareView::Page::Sides) {
    m_changes->comparePage = compare->page();
    compare->setPage(CompareView::Page::Sides);
  }
  if (step.dock) openDock(step.dock);
}

void TourStage::openDock(QDockWidget* dock) {
  if (!dock->toggleViewAction()->isChecked()) m_changes->opened = dock;
  dock->show();
  dock->raise();
}

/// Pages that were changed meanwhile by the person stay.
void TourStage::putBack() {
  const auto changes = std::exchange(m_changes, std::nullopt);
  if (!changes) return;
  const bool nothing = changes->from == changes->to && !changes->opened && !changes->comparePage;
  if (nothing) return;
  m_parts.workspaces->show(changes->workspace);
  if (m_parts.tabs->page() == changes->to) m_parts.tabs->showPage(changes->from);
  if (changes->opened) changes->opened->hide();
  if (changes->comparePage) m_parts.tabs->compare()->setPage(*changes->comparePage);
}

void TourStage::end() {
  putBack();
  m_parts.workspaces->show(m_before);
}

bool TourStage::isShown(const TourStep& step) const {
  const bool dockShown = !step.dock || step.dock->isVisible();
  return m_parts.workspaces->current() == step.workspace && m_parts.tabs->page() == step.page &&
         dockShown;
}

}  // namespace headlight
