// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Passing remarks and errors above the canvas, in words that stay until they are closed or until
// what they are about has passed. They never block the work: no modal box for a file that could not
// be read.

#include <QFrame>
#include <QList>

#include <functional>

class QAction;
class QLabel;
class QToolButton;
class QPushButton;

namespace headlight {

struct Notice {
  enum class Level { Info, Warning, Error };
  /// What has passed when another model is open, when a run begins or ends, and when the person
  /// opens something else. Without any of them a notice stays until it is closed.
  enum About { Model = 1, Run = 2, File = 4 };
  Q_DECLARE_FLAGS(Abouts, About)
  Level level = Level::Info;
  QString title;  ///< may be empty
  QString text;
  QString action;  ///< of a button; may be empty
  std::function<void()> run;
  /// Its subject: a notice takes the place of the one on the same, and one without words only takes
  /// it away, or all that are `about` the same.
  QString topic = {};
  QString other = {};  ///< of a second button, for a question with two answers
  std::function<void()> runOther = {};
  Abouts about = {};  ///< it goes with the first of them that passes

  bool hasWords() const { return !title.isEmpty() || !text.isEmpty(); }
};
Q_DECLARE_OPERATORS_FOR_FLAGS(Notice::Abouts)

class NoticeBar : public QFrame {
  Q_OBJECT
 public:
  static constexpr int kMaxNotices = 50;

  explicit NoticeBar(QWidget* parent = nullptr);

  /// Shown at once; the one that was shown waits behind it. The same words twice are one notice.
  void add(const Notice& notice);
  /// What it says has passed: all notices about it go.
  void leave(Notice::About passed);
  const QList<Notice>& notices() const { return m_notices; }  ///< newest last
  void closeNewest();
  void closeAll();
  /// Close notices, for the Edit menu.
  QList<QAction*> commands() const { return {m_closeAll}; }

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void refresh();

  QList<Notice> m_notices;
  QLabel* m_icon;
  QLabel* m_text;
  QLabel* m_more;
  QPushButton *m_action, *m_other;
  QToolButton* m_close;
  QAction* m_closeAll;
};

}  // namespace headlight
