// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The plots of a run: side by side if there is more width than height, else stacked. Until there is
// data, a sentence and a button to start.

#include <QStackedWidget>

class QAction;
class QLabel;
class QSplitter;

namespace headlight {

class TrainingPlots : public QStackedWidget {
  Q_OBJECT
 public:
  /// `start` opens the Train dialog.
  explicit TrainingPlots(QAction* start, QWidget* parent = nullptr);

  /// For the plots, in their order.
  QSplitter* splitter() const { return m_splitter; }
  void showPlots() { setCurrentIndex(1); }
  /// Shows `sentence` in place of the plots; `offerStart` adds the start button.
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
