// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The docks around the images: gallery, heads, prediction, masks, training. They move, close and
// come back; which of them are shown where belongs to a workspace (Workspaces.h).

#include <QByteArray>
#include <QList>
#include <QObject>

class QAction;
class QDockWidget;
class QMainWindow;
class QWidget;

namespace headlight {

/// The widget in each dock.
struct DockContents {
  QWidget *gallery, *heads, *prediction, *masks, *training;
};

class Docks : public QObject {
  Q_OBJECT
 public:
  /// Puts the contents into docks of `window`.
  Docks(QMainWindow* window, const DockContents& contents);

  QDockWidget* gallery() const { return m_gallery; }
  QDockWidget* heads() const { return m_heads; }
  QDockWidget* prediction() const { return m_prediction; }
  QDockWidget* masks() const { return m_masks; }
  QDockWidget* training() const { return m_training; }
  QList<QDockWidget*> all() const;

  /// Showing and hiding each, full screen: for the View menu.
  const QList<QAction*>& commands() const { return m_commands; }

 Q_SIGNALS:
  void changed();  ///< shown, hidden or moved

 private:
  QDockWidget* add(const QString& name, const QString& title, QWidget* content,
                   Qt::DockWidgetArea area);
  void makeCommands();

  QMainWindow* m_window;
  QDockWidget *m_gallery, *m_heads, *m_prediction, *m_masks, *m_training;
  QList<QAction*> m_commands;
};

}  // namespace headlight
