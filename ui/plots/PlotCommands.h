// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Copying and exporting the plots of a part of the window: each plot's context menu, and commands
// for the plot that had the focus last, or else the first that is shown.

#include <QList>
#include <QObject>
#include <QPointer>

class QAction;
class QCustomPlot;
class QWidget;

namespace headlight {

class PlotCommands : public QObject {
  Q_OBJECT
 public:
  /// Commands for all plots inside `scope`. `keys`: whether the commands have shortcuts.
  explicit PlotCommands(QWidget* scope, bool keys = true);

  const QList<QAction*>& commands() const { return m_commands; }

 Q_SIGNALS:
  void reported(const QString& message);  ///< "Copied"
  void failed(const QString& title, const QString& text);

 private:
  QCustomPlot* plot() const;  ///< null: none is shown
  void copy();
  void copyData();
  void exportPlot();

  QWidget* m_scope;
  QPointer<QCustomPlot> m_last;
  QList<QAction*> m_commands;
};

}  // namespace headlight
