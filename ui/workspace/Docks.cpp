// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workspace/Docks.h"

#include <QDockWidget>
#include <QMainWindow>

#include "ui/base/Actions.h"

namespace headlight {

Docks::Docks(QMainWindow* window, const DockContents& contents)
    : QObject(window), m_window(window) {
  m_gallery =
      add(QStringLiteral("dock.gallery"), tr("Gallery"), contents.gallery, Qt::LeftDockWidgetArea);
  m_masks = add(QStringLiteral("dock.masks"), tr("Masks"), contents.masks, Qt::RightDockWidgetArea);
  m_training = add(QStringLiteral("dock.training"), tr("Training"), contents.training,
                   Qt::BottomDockWidgetArea);
  m_heads =
      add(QStringLiteral("dock.heads"), tr("All heads"), contents.heads, Qt::RightDockWidgetArea);
  m_prediction = add(QStringLiteral("dock.prediction"), tr("Prediction"), contents.prediction,
                     Qt::RightDockWidgetArea);
  makeCommands();
}

QList<QDockWidget*> Docks::all() const {
  return {m_gallery, m_masks, m_training, m_heads, m_prediction};
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
  for (QDockWidget* dock : all()) {
    QAction* toggle = dock->toggleViewAction();
    toggle->setObjectName(QStringLiteral("view.") + dock->objectName());
    toggle->setText(tr("%1 dock").arg(dock->windowTitle()));
    toggle->setToolTip(tr("Show or hide the %1 dock").arg(dock->windowTitle()));
    toggle->setShortcut(QKeySequence(QStringLiteral("Ctrl+Shift+%1").arg(++number)));
    m_commands << toggle;
  }
  m_commands << makeCommand(
      this,
      {"view.fullScreen",
       tr("&Full screen"),
       tr("Fill the screen, or leave full screen"),
       "F11",
       {}},
      [this] { m_window->setWindowState(m_window->windowState() ^ Qt::WindowFullScreen); });
}

}  // namespace headlight
