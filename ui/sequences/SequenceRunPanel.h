// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A sequence model's training run: state, curve, numbers and result.

#include <QWidget>

#include <memory>
#include <optional>
#include <vector>

#include "core/workbench/sequences/SequenceTraining.h"

class QLabel;
class QPushButton;

namespace headlight {

class BitsPlot;
class MessageLabel;
class ProgressLine;
class SequenceTrainingBridge;

class SequenceRunPanel : public QWidget {
  Q_OBJECT
 public:
  SequenceRunPanel(SequenceTrainingBridge* bridge, QWidget* parent);

  /// Whether the curve belongs to the run in this folder.
  bool showsRun(const QString& folder) const;
  /// `withCurve`: the curve shown continues.
  void begin(bool withCurve);
  /// The result can be used only while nothing is trained.
  void refreshUse();

 Q_SIGNALS:
  /// The user wants to use the model of the run in this folder.
  void useRequested(const QString& folder);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void layOut();
  void onStateChanged();
  void onUpdated(const std::vector<SequenceReading>& readings);
  void onFinished(const std::shared_ptr<const SequenceOutcome>& outcome, const QString& error);
  void take(const SequenceReading& reading);
  void showNumbers(const SequenceReading& last);
  QString outcomeText(const SequenceOutcome& outcome) const;

  SequenceTrainingBridge* m_bridge;
  QLabel *m_state, *m_numbers;
  ProgressLine* m_progress;
  BitsPlot* m_plot;
  MessageLabel* m_outcome;
  QPushButton* m_use;
  std::optional<double> m_trainBits, m_validationBits;
  QString m_usable;  ///< the folder of the last run that has weights
};

}  // namespace headlight
