// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The outcome of a run, with buttons for the next steps.

#include <QFrame>

class QBoxLayout;
class QPushButton;

namespace headlight {

class MessageLabel;

class TrainingOutcomeBar : public QFrame {
  Q_OBJECT
 public:
  /// The buttons to show.
  struct Offers {
    bool checkpoint = false, folder = false, config = false;
    bool last = false;     ///< the last checkpoint, if it is not the best
    bool compare = false;  ///< the run has starting weights
    bool resume = false;
    bool weights = false;   ///< weights that are only in memory
    bool recreate = false;  ///< the deleted folder
  };
  explicit TrainingOutcomeBar(QWidget* parent = nullptr);  ///< hidden

  void notify(const QString& text, bool problem, const Offers& offers);
  /// Zero: it takes its space from the plots and never enlarges the dock or the window.
  QSize minimumSizeHint() const override { return {0, 0}; }

 Q_SIGNALS:
  void resume();
  void openCheckpoint();  ///< the best, if there is one
  void openLast();
  void compare();
  void openFolder();
  void exportConfig();
  void saveWeights();
  void recreateFolder();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void arrange();
  QPushButton* addButton(const QString& name, const QString& text, const QString& tip);

  QBoxLayout* m_content;  ///< the buttons beside the text, or below it if there is little width
  QBoxLayout* m_buttons;
  MessageLabel* m_text;
  QPushButton *m_resume, *m_saveWeights, *m_recreate, *m_openBest, *m_openLast, *m_compare,
      *m_openFolder, *m_export;
};

}  // namespace headlight
