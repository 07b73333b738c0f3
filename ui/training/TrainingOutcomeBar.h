// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How a run ended, and what can be done with it now.

#include <QFrame>

class QBoxLayout;
class QPushButton;

namespace headlight {

class MessageLabel;

class TrainingOutcomeBar : public QFrame {
  Q_OBJECT
 public:
  /// What there is to offer.
  struct Offers {
    bool checkpoint = false, folder = false, config = false;
    bool last = false;     ///< the last checkpoint, where the best is another
    bool compare = false;  ///< there are weights that it started from
    bool resume = false;
    bool weights = false;   ///< that only this window still has
    bool recreate = false;  ///< the folder, which was deleted
  };
  explicit TrainingOutcomeBar(QWidget* parent = nullptr);  ///< hidden

  void tell(const QString& text, bool problem, const Offers& offers);
  /// None: it takes its room from the plots and never makes the dock, or the window, larger.
  QSize minimumSizeHint() const override { return {0, 0}; }

 Q_SIGNALS:
  void resume();
  void openCheckpoint();  ///< the best, where there is one
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

  QBoxLayout* m_content;  ///< the buttons beside the text, or below it where there is little width
  QBoxLayout* m_buttons;
  MessageLabel* m_text;
  QPushButton *m_resume, *m_saveWeights, *m_recreate, *m_openBest, *m_openLast, *m_compare,
      *m_openFolder, *m_export;
};

}  // namespace headlight
