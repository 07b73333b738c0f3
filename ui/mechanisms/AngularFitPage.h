// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A two-layer network learns the angular kernel (core/workbench/mechanisms/AngularFit.h): its
// target, its loss, and the frequencies learned after every step.

#include <QWidget>

#include <optional>

#include "core/workbench/mechanisms/AngularFit.h"

class QComboBox;
class QLabel;
class QPushButton;
class QSpinBox;

namespace headlight {

class ErrorMapPlot;
class MessageLabel;
class PanelsPlot;
class ProgressLine;
class ProgressTask;

class AngularFitPage : public QWidget {
  Q_OBJECT
 public:
  explicit AngularFitPage(QWidget* parent = nullptr);

  void fit();
  void cancel();
  bool isFitting() const;
  /// The newest fit; empty before the first.
  const std::optional<AngularFit>& result() const { return m_fit; }
  AngularFitOptions options() const;  ///< from the fields
  void save(const QString& path, MessageLabel* status) const;

 Q_SIGNALS:
  void changed();

 private:
  QLayout* makeFields();
  void take(const Result<AngularFit>& fit);
  void refresh();

  QComboBox* m_target;
  QSpinBox *m_hidden, *m_steps, *m_seed;
  QPushButton *m_start, *m_cancel;
  QLabel* m_state;
  ProgressLine* m_progress;
  ProgressTask* m_task;
  PanelsPlot *m_curves, *m_losses;
  ErrorMapPlot* m_errors;
  std::optional<AngularFit> m_fit;
};

}  // namespace headlight
