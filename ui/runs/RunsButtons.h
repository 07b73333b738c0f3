// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Buttons for the runs selected in the list.

#include <QDialogButtonBox>

class QPushButton;

namespace headlight {

class WeightsButton;

class RunsButtons : public QDialogButtonBox {
  Q_OBJECT
 public:
  explicit RunsButtons(QWidget* parent = nullptr);

  /// `one`: the run folder if exactly one run is selected, else empty.
  void setChoice(const QString& one, bool any);
  void setListed(bool any) const;  ///< whether there is a run in the list
  void openBest();                 ///< of the selected run

 Q_SIGNALS:
  void openRequested(const QString& checkpoint);
  void nothingKept();  ///< the run has no checkpoint yet
  void followRequested(const QString& folder);
  void removeRequested();
  void exportRequested();

 private:
  QPushButton* add(const QString& text, const char* name, const char* icon, const QString& tip);

  QString m_run;
  WeightsButton* m_weights;
  QPushButton *m_best, *m_follow, *m_remove, *m_export;
};

}  // namespace headlight
