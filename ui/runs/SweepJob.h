// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A sweep trained outside the window's thread, and its reports.

#include <QObject>
#include <QTimer>

#include <filesystem>
#include <memory>
#include <stop_token>

#include "core/workbench/sweeps/Sweep.h"

namespace headlight {

class ProgressLine;
class ProgressTask;

class SweepJob : public QObject {
  Q_OBJECT
 public:
  /// `line` outlives it.
  SweepJob(ProgressLine* line, QObject* parent);
  ~SweepJob() override;

  bool isRunning() const;
  bool isStopping() const { return m_stopping.stop_requested(); }
  void start(const SweepPlan& plan, const std::filesystem::path& folder);
  void stop();  ///< after the current step; then `ended`

 Q_SIGNALS:
  void reported(const headlight::SweepReport& report);  ///< after each write of the tables
  void runFailed(const QString& text);                  ///< one run; the others continue
  void ended(const headlight::Result<headlight::SweepReport>& report);

 private:
  struct Reported;
  void collect();
  void finish(const Result<SweepReport>& report);

  std::shared_ptr<Reported> m_reported;  ///< filled in the sweep's thread
  std::stop_source m_stopping;
  QTimer m_poll;
  ProgressTask* m_task;
};

}  // namespace headlight
