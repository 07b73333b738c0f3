#pragma once
// How a run ended, and what can be done with it now.

#include <QFrame>

class QPushButton;

namespace headlight {

class MessageLabel;

class TrainingOutcomeBar : public QFrame {
  Q_OBJECT
 public:
  /// What there is to offer.
  struct Offers {
    bool checkpoint = false, folder = false, config = false;
  };
  explicit TrainingOutcomeBar(QWidget* parent = nullptr);  ///< hidden

  void tell(const QString& text, bool problem, const Offers& offers);

 Q_SIGNALS:
  void openCheckpoint();
  void openFolder();
  void exportConfig();

 private:
  QPushButton* addButton(const QString& name, const QString& text, const QString& tip);

  MessageLabel* m_text;
  QPushButton *m_openBest, *m_openFolder, *m_export;
};

}  // namespace headlight
