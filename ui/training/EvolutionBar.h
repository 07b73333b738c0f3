#pragma once
// Goes through what a training run recorded: one drag along the slider shows how ALS and α became
// what they are, a click on Live (or the slider's right end) follows the run again.

#include <QWidget>

#include "ui/document/HeadHistory.h"

class QAction;
class QLabel;
class QSlider;

namespace headlight {

class EvolutionBar : public QWidget {
  Q_OBJECT
 public:
  /// `history` outlives the bar.
  explicit EvolutionBar(const HeadHistory* history, QWidget* parent = nullptr);

  /// The history has grown or was cleared. What is shown stays; a live bar follows.
  void historyChanged();
  /// The measurement that is shown; null: live.
  const HeadHistory::Point& shown() const { return m_shown; }
  void goLive();
  void move(int measurements);  ///< back (negative) or on; past the last one is live

  QAction* earlierAction() const { return m_earlier; }
  QAction* laterAction() const { return m_later; }
  QAction* liveAction() const { return m_live; }
  /// These three, for the Train menu.
  QList<QAction*> commands() const { return {m_earlier, m_later, m_live}; }

 Q_SIGNALS:
  void shownChanged();

 private:
  void makeCommands();
  void onValue(int value);
  void refresh();
  int liveValue() const { return static_cast<int>(m_history->size()); }

  const HeadHistory* m_history;
  HeadHistory::Point m_shown;
  QSlider* m_slider;
  QLabel* m_label;
  QAction *m_earlier, *m_later, *m_live;
};

}  // namespace headlight
