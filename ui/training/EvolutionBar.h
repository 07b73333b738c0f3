// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Goes through what a training run recorded: one drag along the slider shows how ALS, α and the
// maps of its pictures became what they are, Play goes through them by itself, a click on Live (or
// the slider's right end) follows the run again.

#include <QTimer>
#include <QWidget>

#include "ui/document/HeadHistory.h"

class QAction;
class QComboBox;
class QHBoxLayout;
class QLabel;
class QSlider;

namespace headlight {

class EvolutionBridge;

class EvolutionBar : public QWidget {
  Q_OBJECT
 public:
  /// `history` outlives the bar.
  explicit EvolutionBar(const HeadHistory* history, QWidget* parent = nullptr);

  /// The pictures that go with the measurements; once.
  void setPictures(EvolutionBridge* pictures);

  /// The history has grown or was cleared. What is shown stays; a live bar follows.
  void historyChanged();
  /// The measurement that is shown; null: live.
  const HeadHistory::Point& shown() const { return m_shown; }
  void goLive();
  void move(int measurements);  ///< back (negative) or on; past the last one is live

  QAction* earlierAction() const { return m_earlier; }
  QAction* laterAction() const { return m_later; }
  QAction* liveAction() const { return m_live; }
  QAction* playAction() const { return m_play; }  ///< checkable
  QAction* loopAction() const { return m_loop; }  ///< checkable
  /// All of these, for the Train menu.
  QList<QAction*> commands() const;

 Q_SIGNALS:
  void shownChanged();

 private:
  void makeCommands();
  void addButton(QHBoxLayout* row, const char* name, QAction* action);
  void play(bool on);
  void playOn();
  void refreshPictures();
  QString sliderTip() const;
  void onValue(int value);
  void refresh();
  int liveValue() const { return static_cast<int>(m_history->size()); }

  const HeadHistory* m_history;
  HeadHistory::Point m_shown;
  QSlider* m_slider;
  QLabel* m_label;
  QComboBox* m_picture;
  EvolutionBridge* m_pictures = nullptr;
  QTimer m_playing;
  QAction *m_earlier, *m_later, *m_live, *m_play, *m_loop, *m_next;
};

}  // namespace headlight
