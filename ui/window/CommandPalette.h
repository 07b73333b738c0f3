// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Any command by a few letters of its name: Ctrl+Shift+P, type, Enter.

#include <QFrame>
#include <QPointer>

#include "ui/base/Actions.h"

class QLineEdit;
class QListView;
class QStandardItemModel;

namespace headlight {

class CommandPalette : public QFrame {
  Q_OBJECT
 public:
  /// Lies over `window`; hidden until open().
  CommandPalette(const Actions* actions, QWidget* window);

  void open(const QString& query = {});
  /// Commands in the order shown, best first.
  QStringList shownIds() const;
  /// Opening it, for the Edit menu.
  QList<QAction*> commands() const { return {m_open}; }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  void filter(const QString& query);
  void place();
  void moveBy(int rows);
  void runCurrent();
  void onFocusChanged(QWidget* now);

  const Actions* m_actions;
  QLineEdit* m_query;
  QListView* m_list;
  QStandardItemModel* m_model;
  QAction* m_open;
  QPointer<QWidget> m_focusBefore;
};

}  // namespace headlight
