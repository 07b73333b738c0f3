// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The four workspaces of the window: what is shown and how large, by what a person is about to do.
// Each keeps the arrangement that it was left in; document, cursor and undo are shared.

#include <QList>
#include <QObject>
#include <QString>

#include "ui/document/Session.h"

class QAction;
class QMainWindow;
class QWidget;

namespace headlight {

class Docks;
class ImageTabs;

enum class Workspace { Look, Mask, Train, Compare };

QString workspaceName(Workspace workspace);

class Workspaces : public QObject {
  Q_OBJECT
 public:
  /// Begins in Look. All three outlive it.
  Workspaces(QMainWindow* window, Docks* docks, ImageTabs* tabs);

  Workspace current() const { return m_current; }
  void show(Workspace workspace);
  void showNamed(const QString& name);  ///< another name changes nothing
  /// The present one as at the first start.
  void putBack();

  /// All of them as they were left, the present one as it is.
  Arrangements arrangements() const;
  /// The present one's page alone, for what is carried into other windows.
  Arrangements page() const;
  /// Shows `current` of them. Those that are missing stay as they are here, and so do the docks of
  /// those that say only the page, as damaged ones do. Applied once the window has the size that it
  /// was given.
  void restore(const Arrangements& arrangements, const QString& current);

  /// Showing each, the next and the one before, putting back: for the View menu.
  const QList<QAction*>& commands() const { return m_commands; }
  /// The switch of all four, which shows the present one.
  QWidget* makeSwitch(QWidget* parent) const;

  bool eventFilter(QObject* watched, QEvent* event) override;

 Q_SIGNALS:
  void changed();

 private:
  void makeCommands();
  void step(int by);
  void keep();
  Arrangement present() const;
  void apply();
  void arrange();
  void arrangeInference();
  void arrangeMask();
  void arrangeTrain();
  void arrangeCompare();

  QMainWindow* m_window;
  Docks* m_docks;
  ImageTabs* m_tabs;
  Workspace m_current = Workspace::Look;
  Arrangements m_left;
  bool m_pending = true;    ///< applied when the window is first shown
  bool m_settling = false;  ///< it is shown, and may not have its size yet
  QList<QAction*> m_choices, m_commands;
};

}  // namespace headlight
