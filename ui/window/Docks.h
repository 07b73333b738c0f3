#pragma once
// The docks around the pictures: gallery, masks, training. They move, close and come back.

#include <QByteArray>
#include <QList>
#include <QObject>

class QAction;
class QDockWidget;
class QMainWindow;
class QWidget;

namespace headlight {

class Docks : public QObject {
  Q_OBJECT
 public:
  /// Puts the contents into docks of `window`.
  Docks(QMainWindow* window, QWidget* gallery, QWidget* masks, QWidget* training);

  void showMasks();
  /// What putBack goes back to is how they lie now.
  void rememberAsDefault();
  void putBack();

  /// Showing and hiding each, putting them back, full screen: for the View menu.
  const QList<QAction*>& commands() const { return m_commands; }

 Q_SIGNALS:
  void changed();      ///< shown, hidden or moved
  void werePutBack();  ///< what else has a place of its own goes back too

 private:
  QDockWidget* add(const QString& name, const QString& title, QWidget* content,
                   Qt::DockWidgetArea area);
  void makeCommands();
  void resize();

  QMainWindow* m_window;
  QDockWidget *m_gallery, *m_masks, *m_training;
  QByteArray m_default;
  QList<QAction*> m_commands;
};

}  // namespace headlight
