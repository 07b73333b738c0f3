#include "ui/window/Docks.h"

#include <QDockWidget>
#include <QMainWindow>

#include "ui/base/Actions.h"

namespace headlight {
namespace {

constexpr int kGalleryWidth = 158, kMasksWidth = 330, kTrainingHeight = 212;

}  // namespace

Docks::Docks(QMainWindow* window, QWidget* gallery, QWidget* masks, QWidget* training)
    : QObject(window), m_window(window) {
  m_gallery = add(QStringLiteral("dock.gallery"), tr("Gallery"), gallery, Qt::LeftDockWidgetArea);
  m_masks = add(QStringLiteral("dock.masks"), tr("Masks"), masks, Qt::RightDockWidgetArea);
  m_training =
      add(QStringLiteral("dock.training"), tr("Training"), training, Qt::BottomDockWidgetArea);
  resize();
  makeCommands();
}

QDockWidget* Docks::add(const QString& name, const QString& title, QWidget* content,
                        Qt::DockWidgetArea area) {
  auto* dock = new QDockWidget(title, m_window);
  dock->setObjectName(name);
  dock->setAccessibleName(title);
  dock->setWidget(content);
  m_window->addDockWidget(area, dock);
  connect(dock, &QDockWidget::visibilityChanged, this, &Docks::changed);
  connect(dock, &QDockWidget::dockLocationChanged, this, &Docks::changed);
  return dock;
}

void Docks::makeCommands() {
  int number = 0;
  for (QDockWidget* dock : {m_gallery, m_masks, m_training}) {
    QAction* toggle = dock->toggleViewAction();
    toggle->setObjectName(QStringLiteral("view.") + dock->objectName());
    toggle->setText(tr("%1 dock").arg(dock->windowTitle()));
    toggle->setToolTip(tr("Show or hide the %1 dock").arg(dock->windowTitle()));
    toggle->setShortcut(QKeySequence(QStringLiteral("Ctrl+Shift+%1").arg(++number)));
    m_commands << toggle;
  }
  m_commands << makeCommand(this,
                            {"view.resetLayout",
                             tr("Put the docks &back"),
                             tr("Docks as they were at the first start"),
                             "Ctrl+Shift+0",
                             {}},
                            [this] { putBack(); });
  m_commands << makeCommand(
      this, {"view.fullScreen", tr("&Full screen"), tr("Fill the screen, or go back"), "F11", {}},
      [this] { m_window->setWindowState(m_window->windowState() ^ Qt::WindowFullScreen); });
}

void Docks::resize() {
  m_window->resizeDocks({m_gallery, m_masks}, {kGalleryWidth, kMasksWidth}, Qt::Horizontal);
  m_window->resizeDocks({m_training}, {kTrainingHeight}, Qt::Vertical);
}

void Docks::showMasks() {
  m_masks->show();
}

void Docks::rememberAsDefault() {
  m_default = m_window->saveState();
}

void Docks::putBack() {
  m_window->restoreState(m_default);
  for (QDockWidget* dock : {m_gallery, m_masks, m_training})
    dock->show();
  resize();
  Q_EMIT werePutBack();
}

}  // namespace headlight
