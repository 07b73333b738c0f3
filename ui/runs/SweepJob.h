// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A sweep that is trained away from the window's thread, and what it says meanwhile.

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
  void stop();  ///< after the present step; then `ended`

 Q_SIGNALS:
  void reported(const headlight::SweepReport& report);  ///< whenever the tables were written
  void runFailed(const QString& text);                  ///< one of them; the others go on
  void ended(const headlight::Result<headlight::SweepReport>& report);

 private:
  struct Told;
  void collect();
  void finish(const Result<SweepReport>& report);

  std::shared_ptr<Told> m_told;  ///< by the sweep, from its thread
  std::stop_source m_stopping;
  QTimer m_poll;
  ProgressTask* m_task;
};

}  // namespace headlight
