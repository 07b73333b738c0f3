// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Moves through the measurements that a training run recorded: ALS, α and the maps of its images.
// Play steps through them; Live (or the slider's right end) follows the run again; after its end,
// that is Now, the present model.

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

  /// The images of the measurements. Call once.
  void setImages(EvolutionBridge* images);

  /// The history has grown or was cleared. The measurement shown stays; a live bar follows.
  void historyChanged();
  /// Whether the run goes on, and the last step that is known of it, measured or not.
  void setRun(bool goesOn, std::int64_t lastStep);
  /// The measurement shown; null: live.
  const HeadHistory::Point& shown() const { return m_shown; }
  void goLive();
  void move(int measurements);  ///< back (negative) or forward; past the last one is live

  QAction* earlierAction() const { return m_earlier; }
  QAction* laterAction() const { return m_later; }
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
  void refreshImages();
  QString sliderTip() const;
  QString liveText() const;
  std::int64_t lastStep() const;
  void onValue(int value);
  void refresh();
  int liveValue() const { return static_cast<int>(m_history->size()); }

  const HeadHistory* m_history;
  HeadHistory::Point m_shown;
  QSlider* m_slider;
  QLabel* m_label;
  QComboBox* m_image;
  EvolutionBridge* m_images = nullptr;
  bool m_goesOn = true;
  std::int64_t m_lastStep = 0;
  QTimer m_playing;
  QAction *m_earlier, *m_later, *m_live, *m_play, *m_loop, *m_next, *m_oneScale;
};

}  // namespace headlight
