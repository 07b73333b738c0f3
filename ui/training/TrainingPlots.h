// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The plots of a run, side by side where they are given more width than height and one above the
// other where they are not; until there is something to draw, a sentence and the way to begin.

#include <QStackedWidget>

class QAction;
class QLabel;
class QSplitter;

namespace headlight {

class TrainingPlots : public QStackedWidget {
  Q_OBJECT
 public:
  /// `start` opens the settings of a run.
  explicit TrainingPlots(QAction* start, QWidget* parent = nullptr);

  /// For the plots, in their order.
  QSplitter* splitter() const { return m_splitter; }
  void showPlots() { setCurrentIndex(1); }
  /// The sentence instead of them; with the button only where a run can be asked for.
  void showSentence(const QString& sentence, bool offerStart);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  QWidget* makeSentencePage(QAction* start);

  QLabel* m_sentence;
  QWidget* m_start;
  QSplitter* m_splitter;
};

}  // namespace headlight
