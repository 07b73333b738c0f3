// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/FileDrops.h"

#include <QAbstractScrollArea>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMainWindow>
#include <QMimeData>
#include <QUrl>

namespace headlight {
namespace {

QStringList localPaths(const QMimeData* data) {
  QStringList paths;
  for (const QUrl& url : data->urls())
    if (url.isLocalFile()) paths << url.toLocalFile();
  return paths;
}

/// A file dropped on a text field is for the window, not to be typed in.
void takeNoDropsInside(QWidget* window) {
  for (auto* field : window->findChildren<QLineEdit*>())
    field->setAcceptDrops(false);
  for (auto* area : window->findChildren<QAbstractScrollArea*>()) {
    area->setAcceptDrops(false);
    area->viewport()->setAcceptDrops(false);
  }
}

}  // namespace

FileDrops::FileDrops(QMainWindow* window) : QObject(window), m_window(window) {
  makeHint();
  takeNoDropsInside(window);
  window->setAcceptDrops(true);
  window->installEventFilter(this);
}

void FileDrops::makeHint() {
  m_hint = new QLabel(tr("Drop images, folders, checkpoints, configs, mask schemes or sessions"),
                      m_window);
  m_hint->setObjectName(QStringLiteral("dropHint"));
  m_hint->setAlignment(Qt::AlignCenter);
  m_hint->setAutoFillBackground(true);
  m_hint->setFrameShape(QFrame::Box);
  m_hint->setAttribute(Qt::WA_TransparentForMouseEvents);
  m_hint->hide();
}

void FileDrops::showHint() {
  m_hint->setGeometry(m_window->centralWidget()->geometry().adjusted(20, 20, -20, -20));
  m_hint->show();
  m_hint->raise();
}

bool FileDrops::eventFilter(QObject* watched, QEvent* event) {
  switch (event->type()) {
    case QEvent::DragEnter: {
      auto* drag = static_cast<QDragEnterEvent*>(event);
      if (localPaths(drag->mimeData()).isEmpty()) break;
      drag->acceptProposedAction();
      showHint();
      return true;
    }
    case QEvent::DragLeave:
      m_hint->hide();
      return true;
    case QEvent::Drop: {
      m_hint->hide();
      auto* drop = static_cast<QDropEvent*>(event);
      const QStringList paths = localPaths(drop->mimeData());
      if (paths.isEmpty()) break;
      drop->acceptProposedAction();
      Q_EMIT dropped(paths);
      return true;
    }
    default:
      break;
  }
  return QObject::eventFilter(watched, event);
}

}  // namespace headlight
