// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Files dropped on the window, wherever in it; a hint says so while they hover.

#include <QObject>
#include <QStringList>

class QLabel;
class QMainWindow;

namespace headlight {

class FileDrops : public QObject {
  Q_OBJECT
 public:
  /// Once all parts are in `window`: those of them that take text or files no longer do.
  explicit FileDrops(QMainWindow* window);

  bool eventFilter(QObject* watched, QEvent* event) override;

 Q_SIGNALS:
  void dropped(const QStringList& paths);

 private:
  void makeHint();
  void showHint();

  QMainWindow* m_window;
  QLabel* m_hint;
};

}  // namespace headlight
