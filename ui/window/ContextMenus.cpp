// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/ContextMenus.h"

#include <QDockWidget>
#include <QMenu>

#include "ui/base/Actions.h"
#include "ui/canvas/Canvas.h"
#include "ui/compare/ComparedImage.h"
#include "ui/heads/HeadsGrid.h"
#include "ui/workspace/Docks.h"
#include "ui/workspace/ImageTabs.h"

namespace headlight {
namespace {

/// An empty one is a line between two groups.
using CommandIds = QStringList;

CommandIds headCommands() {
  return {"view.nextLayer", "view.previousLayer", "view.nextHead", "view.previousHead",
          "view.classToken"};
}

CommandIds mapCommands() {
  CommandIds ids{"", "view.overlay", "view.smooth", "view.sharedRange", ""};
  for (const MapStyleInfo& style : mapStyles())
    ids << QStringLiteral("view.style.") + QString::fromStdString(style.name);
  return ids;
}

CommandIds imageCommands() {
  return {"", "edit.copyImage", "file.exportFigure"};
}

void showCommands(QWidget* widget, const Actions* actions, const CommandIds& ids,
                  const QPoint& position) {
  auto* menu = new QMenu(widget);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->setToolTipsVisible(true);
  for (const QString& id : ids)
    if (QAction* action = actions->find(id))
      menu->addAction(action);
    else
      menu->addSeparator();
  menu->popup(widget->mapToGlobal(position));
}

void addMenu(QWidget* widget, const Actions* actions, const CommandIds& ids) {
  widget->setContextMenuPolicy(Qt::CustomContextMenu);
  QObject::connect(widget, &QWidget::customContextMenuRequested, actions,
                   [=](const QPoint& position) { showCommands(widget, actions, ids, position); });
}

}  // namespace

void addContextMenus(const Actions* actions, const ImageTabs* tabs, const Docks* docks) {
  const CommandIds zoom{"", "view.zoomIn", "view.zoomOut", "view.zoomFit"};
  addMenu(tabs->findChild<Canvas*>(QStringLiteral("canvas")), actions,
          headCommands() + mapCommands() + zoom + imageCommands());
  addMenu(tabs->findChild<HeadsGrid*>(), actions, headCommands() + mapCommands() + imageCommands());
  for (ComparedImage* image : tabs->findChildren<ComparedImage*>())
    addMenu(image, actions,
            CommandIds{"view.compare.swap", "view.compare.link", "view.compare.difference", ""} +
                headCommands() + mapCommands() + imageCommands());
  // Copy and export act on the page.
  addMenu(docks->heads()->widget(), actions,
          headCommands() + mapCommands() + CommandIds{"", "view.tab.heads"});
  addMenu(docks->prediction()->widget(), actions,
          {"masks.compare.lastEdit", "masks.compare.unmasked", "masks.compare.pinned", "",
           "masks.compare.pin"});
}

}  // namespace headlight
